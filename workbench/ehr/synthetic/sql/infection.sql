-- Work-ups of infection: prescriptions of antibiotics and microbiology, natural ones and the planted edges.
-- Planted edges sit in admissions without any other work-up, so that each shows on its own.

CREATE OR REPLACE TEMP TABLE prescribed (
  ak UBIGINT, other_admission BOOLEAN, starttime TIMESTAMP, stoptime TIMESTAMP, drug_type VARCHAR, drug VARCHAR,
  route VARCHAR, dose VARCHAR, unit VARCHAR, per_day DOUBLE, rank BIGINT
);

CREATE OR REPLACE TEMP TABLE cultured (
  ak UBIGINT, specimen VARCHAR, chartdate TIMESTAMP, charttime TIMESTAMP, spec VARCHAR, org_itemid INTEGER,
  organism VARCHAR, antibiogram BOOLEAN, attached BOOLEAN, resulted BOOLEAN, rank BIGINT
);

-- Natural infections: on arrival for the infected kinds, on a later day for those acquired in hospital.
CREATE OR REPLACE TEMP TABLE episode AS
SELECT
  a.ak,
  a.dischtime,
  coalesce(a.deathtime, a.dischtime) AS until,
  coalesce(a.site, pick(a.ak, 'site', ['lung', 'urine', 'blood', 'abdomen'])) AS site,
  CASE
    WHEN a.site IS NOT NULL THEN on_minute(hours_after(a.admittime, within(a.ak, 'onset', -1.0, 6.0)))
    WHEN a.first_in IS NOT NULL THEN on_minute(hours_after(a.first_in, within(a.ak, 'onset', 3, 70)))
    ELSE on_minute(hours_after(a.admittime, within(a.ak, 'onset', 6, 60)))
  END AS onset
FROM admission AS a
WHERE
  a.infected;

INSERT INTO cultured
WITH taken AS (
  SELECT
    *,
    unnest([
      {spec: 'BLOOD CULTURE', after: 0, wanted: uniform(ak, 'blood') < 0.92, grows: CASE WHEN site = 'blood' THEN 0.38 ELSE 0.10 END},
      {spec: 'BLOOD CULTURE', after: 12, wanted: uniform(ak, 'blood again') < 0.72, grows: CASE WHEN site = 'blood' THEN 0.35 ELSE 0.08 END},
      {spec: 'URINE', after: 45, wanted: uniform(ak, 'urine') < 0.75, grows: CASE WHEN site = 'urine' THEN 0.65 ELSE 0.12 END},
      {spec: 'SPUTUM', after: 160, wanted: site = 'lung' AND uniform(ak, 'sputum') < 0.70, grows: 0.45},
      {spec: 'BRONCHOALVEOLAR LAVAGE', after: 1700, wanted: site = 'lung' AND uniform(ak, 'lavage') < 0.15, grows: 0.5},
      {spec: 'PERITONEAL FLUID', after: 300, wanted: site = 'abdomen' AND uniform(ak, 'fluid') < 0.5, grows: 0.5},
      {spec: 'STOOL', after: 2000, wanted: uniform(ak, 'stool') < 0.15, grows: 0.15},
      {spec: 'BLOOD CULTURE', after: 1500, wanted: uniform(ak, 'day two') < 0.45, grows: 0.10},
      {spec: 'BLOOD CULTURE', after: 3100, wanted: uniform(ak, 'day three') < 0.30, grows: 0.07},
      {spec: 'SEROLOGY/BLOOD', after: 900, wanted: uniform(ak, 'serology') < 0.05, grows: 0.0}
    ], recursive := TRUE)
  FROM episode
), numbered AS (
  SELECT
    *,
    row_number() OVER (PARTITION BY ak ORDER BY after, spec) AS nth
  FROM taken
  WHERE
    wanted
), timed AS (
  SELECT
    *,
    sub(ak, 'specimen', nth) AS bk,
    onset + to_minutes(CASE WHEN after > 20 THEN after + (bits(sub(ak, 'specimen', nth), 'late') % 120)::BIGINT ELSE after END) AS moment
  FROM numbered
)
SELECT
  ak,
  'n' || t.nth,
  date_trunc('day', moment),
  CASE WHEN uniform(bk, 'date only') >= rate('culture-date-only') THEN moment END,
  spec,
  CASE
    WHEN uniform(bk, 'cancelled') < rate('culture-cancelled') THEN 90760
    WHEN uniform(bk, 'grows') < grows THEN org_itemid
  END,
  CASE
    WHEN uniform(bk, 'cancelled') < rate('culture-cancelled') THEN 'CANCELLED'
    WHEN uniform(bk, 'grows') < grows THEN organism
  END,
  uniform(bk, 'cancelled') >= rate('culture-cancelled') AND uniform(bk, 'grows') < grows AND org_itemid <> 80060,
  uniform(bk, 'attached') >= rate('culture-without-admission'),
  TRUE,
  t.nth
FROM timed AS t
INNER JOIN organism AS o
  ON t.site = o.site
  AND uniform(sub(t.ak, 'specimen', t.nth), 'species') >= o.low
  AND uniform(sub(t.ak, 'specimen', t.nth), 'species') < o.high
WHERE
  moment < until;

INSERT INTO prescribed
WITH listed AS (
  SELECT
    e.*,
    b.* EXCLUDE (site, nth),
    hash(hash(e.ak, b.drug), b.step) AS pk,
    row_number() OVER (PARTITION BY e.ak ORDER BY b.step, b.drug) AS nth
  FROM episode AS e
  INNER JOIN antibiotic_plan AS b
    ON e.site = b.site AND uniform(hash(hash(e.ak, b.drug), b.step), 'given') < b.share
), repeated AS (
  -- An order is often written anew after a day or two.
  SELECT
    *,
    date_trunc('hour', hours_after(onset, CASE step
      WHEN 1 THEN within(pk, 'start', -5, 9) + 36 * again
      ELSE 58 + within(pk, 'start', 0, 30) + 48 * again END)) AS starttime
  FROM listed
  CROSS JOIN (SELECT unnest([0, 1]) AS again)
  WHERE
    again = 0 OR uniform(pk, 'again') < 0.40
)
SELECT
  ak,
  FALSE,
  starttime,
  hours_after(starttime, CASE WHEN uniform(pk, 'single') < 0.12 THEN 1 ELSE 12 * (2 + (bits(pk, 'days') % 9)::BIGINT) END),
  'MAIN',
  drug,
  CASE WHEN uniform(pk, 'route lost') < rate('prescription-without-route') THEN NULL ELSE route END,
  dose,
  unit,
  per_day,
  100 + 2 * nth + again
FROM repeated
WHERE
  starttime < until;

-- Prophylaxis before operations, and screens on arrival in the unit; neither is an infection.
INSERT INTO prescribed
SELECT
  ak,
  FALSE,
  date_trunc('hour', hours_after(first_in, -4)),
  hours_after(date_trunc('hour', hours_after(first_in, -4)), CASE WHEN uniform(ak, 'one dose') < 0.3 THEN 1 ELSE 24 END),
  'MAIN',
  CASE WHEN uniform(ak, 'allergy') < 0.1 THEN 'Vancomycin' ELSE 'CeFAZolin' END,
  'IV',
  '2',
  'g',
  3,
  90
FROM admission
WHERE
  surgical AND NOT planted AND first_in IS NOT NULL AND uniform(ak, 'prophylaxis') < 0.75;

INSERT INTO cultured
SELECT
  s.ak,
  's' || s.j,
  date_trunc('day', s.intime),
  on_minute(hours_after(s.intime, within(s.sk, 'screened', 0.5, 5))),
  CASE WHEN uniform(s.sk, 'swab') < 0.8 THEN 'MRSA SCREEN' ELSE 'STAPH AUREUS SWAB' END,
  CASE WHEN uniform(s.sk, 'carrier') < 0.07 THEN 90115 END,
  CASE WHEN uniform(s.sk, 'carrier') < 0.07 THEN 'POSITIVE FOR METHICILLIN RESISTANT STAPH AUREUS' END,
  FALSE,
  TRUE,
  TRUE,
  50 + s.j
FROM stay AS s
WHERE
  NOT s.planted AND uniform(s.sk, 'screen') < 0.42 AND s.los > 6;

-- Planted edges, relative to T (some hours into the first unit stay), D (midnight of T's day) or the stay's ends.
CREATE OR REPLACE TEMP TABLE anchor AS
WITH placed AS (
  SELECT
    ak,
    workup,
    intime,
    outtime,
    on_minute(hours_after(intime, least(10, 0.4 * los))) AS moment
  FROM stay
  WHERE
    planted AND j = 0
)
SELECT
  ak,
  workup,
  unnest([
    {anchor: 'T', base: moment}, {anchor: 'D', base: date_trunc('day', moment)}, {anchor: 'in', base: intime},
    {anchor: 'out', base: outtime}, {anchor: 'hour', base: date_trunc('hour', intime)}], recursive := TRUE)
FROM placed;

INSERT INTO prescribed
SELECT
  a.ak,
  coalesce(p.note = 'other admission', FALSE),
  a.base + to_minutes(p.minutes::BIGINT),
  a.base + to_minutes(coalesce(p.minutes, 0)::BIGINT + 60 * p.hours::BIGINT),
  p.drug_type,
  p.drug,
  p.route,
  '1',
  'g',
  NULL,
  200 + p.nth
FROM anchor AS a
INNER JOIN workup_prescription AS p
  ON a.workup = p.edge AND a.anchor = p.anchor;

INSERT INTO cultured
SELECT
  a.ak,
  'w' || c.specimen,
  date_trunc('day', a.base + to_minutes(c.minutes::BIGINT)) + to_days(c.chart_days::INTEGER),
  CASE WHEN c.timed = 'yes' THEN a.base + to_minutes(c.minutes::BIGINT) END,
  c.spec,
  c.org_itemid,
  CASE WHEN c.organism = '<empty>' THEN '' ELSE c.organism END,
  coalesce(c.note = 'antibiogram', FALSE),
  coalesce(c.note <> 'no admission', TRUE),
  coalesce(c.note <> 'no result', TRUE),
  200 + c.nth
FROM anchor AS a
INNER JOIN workup_culture AS c
  ON a.workup = c.edge AND a.anchor = c.anchor;

-- Starts on the seam between two unit stays, and inside two that overlap.
INSERT INTO prescribed
SELECT
  ak,
  FALSE,
  CASE WHEN edge_here(sk, 'stay-touching') THEN intime ELSE intime + to_minutes(10) END,
  intime + to_hours(24),
  'MAIN',
  'Ampicillin',
  'IV',
  '2',
  'g',
  4,
  80
FROM stay
WHERE
  j > 0 AND (edge_here(sk, 'stay-touching') OR edge_here(sk, 'stay-overlapping'));

-- Later stays with edges: a culture and an antibiotic at their start, and names of the public list two days before it.
INSERT INTO prescribed
SELECT
  s.ak,
  FALSE,
  on_minute(s.intime) + to_minutes(35),
  on_minute(s.intime) + to_hours(48),
  'MAIN',
  'Cefepime',
  'IV',
  '2',
  'g',
  3,
  81
FROM stay AS s
INNER JOIN carried AS c
  ON s.sk = c.sk AND c.edge = 'suspicion-beside'
UNION ALL
SELECT
  s.ak,
  FALSE,
  on_minute(s.intime) - to_hours(48) + to_minutes(l.nth),
  on_minute(s.intime) - to_hours(24),
  'MAIN',
  upper(l.name[1]) || l.name[2:],
  'IV',
  '1',
  'g',
  NULL,
  8200 + l.nth
FROM stay AS s
INNER JOIN carried AS c
  ON s.sk = c.sk AND c.edge = 'antibiotic-listed'
INNER JOIN later_agent AS l
  ON l.nth % 60 = c.host % 60;

INSERT INTO cultured
SELECT
  s.ak,
  'l' || s.j,
  date_trunc('day', on_minute(s.intime) + to_minutes(30)),
  on_minute(s.intime) + to_minutes(30),
  'BLOOD CULTURE',
  NULL,
  NULL,
  FALSE,
  TRUE,
  TRUE,
  70 + s.j
FROM stay AS s
INNER JOIN carried AS c
  ON s.sk = c.sk AND c.edge = 'suspicion-beside';

-- Everything else that is prescribed.
INSERT INTO prescribed
WITH given AS (
  SELECT
    a.ak,
    a.dischtime,
    d.*,
    hash(hash(a.ak, d.drug)) AS pk,
    date_trunc('hour', hours_after(CASE WHEN d.phase = 'stay' AND a.first_in IS NOT NULL THEN a.first_in ELSE a.admittime END,
      within(hash(hash(a.ak, d.drug)), 'start', 0.5, 12))) AS starttime
  FROM admission AS a
  INNER JOIN drug AS d
    ON uniform(hash(hash(a.ak, d.drug)), 'given') < d.share
)
SELECT
  ak,
  FALSE,
  starttime,
  least(dischtime, hours_after(starttime, 12 * (1 + (bits(pk, 'length') % 14)::BIGINT))),
  drug_type,
  drug,
  route,
  dose,
  unit,
  per_day,
  1000 + nth
FROM given
WHERE
  starttime < dischtime;
