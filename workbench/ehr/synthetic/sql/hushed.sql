-- Later stays lack the ordinary rows of each topic that they carry an edge of, those of charts on the first day.
DELETE FROM charted
USING hushed AS h, stay AS s, hushed_item AS i
WHERE
  charted.sk = h.sk AND s.sk = h.sk AND charted.charttime <= s.intime + INTERVAL 26 HOUR
  AND charted.itemid = i.itemid AND i.kind = 'chart' AND list_contains(h.topics, i.topic);

DELETE FROM procedure_done
USING hushed AS h
WHERE
  procedure_done.sk = h.sk AND list_contains(h.topics, 'dialysis')
  AND procedure_done.itemid IN (SELECT t.itemid FROM planted_turn AS t WHERE t.kind = 'procedure');

DELETE FROM measured_lab
USING specimen AS t, stay AS s, hushed AS h, hushed_item AS i
WHERE
  measured_lab.tk = t.tk AND t.idx = s.idx AND s.sk = h.sk
  AND t.charttime BETWEEN s.intime - INTERVAL 8 HOUR AND greatest(s.outtime + INTERVAL 1 HOUR, s.intime + INTERVAL 50 HOUR)
  AND measured_lab.item = i.itemid AND i.kind = 'lab' AND list_contains(h.topics, i.topic);
