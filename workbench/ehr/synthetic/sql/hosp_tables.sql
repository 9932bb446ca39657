-- table: mimiciv_hosp.patients
SELECT
  s.subject_id,
  s.gender,
  s.anchor_age,
  s.anchor_year,
  pick(s.k, 'year group', ['2008 - 2010', '2011 - 2013', '2014 - 2016', '2017 - 2019', '2020 - 2022']) AS anchor_year_group,
  coalesce(
    d.deathtime::DATE,
    CASE WHEN uniform(s.k, 'dies later') < 0.16 THEN d.dischtime::DATE + 3 + (bits(s.k, 'days later') % 360)::INTEGER END
  ) AS dod
FROM subject AS s
INNER JOIN (SELECT idx, max(deathtime) AS deathtime, max(dischtime) AS dischtime FROM admission GROUP BY idx) AS d
  ON s.idx = d.idx
ORDER BY
  subject_id;

-- table: mimiciv_hosp.admissions
SELECT
  subject_id,
  hadm_id,
  admittime,
  dischtime,
  deathtime,
  admitted_as AS admission_type,
  'P' || lpad((bits(ak, 'provider') % 500)::VARCHAR, 5, '0') AS admit_provider_id,
  admission_location,
  CASE
    WHEN deathtime IS NOT NULL THEN 'DIED'
    ELSE pick(ak, 'leaves to', ['HOME', 'HOME', 'HOME HEALTH CARE', 'HOME HEALTH CARE', 'SKILLED NURSING FACILITY', 'REHAB',
      'CHRONIC/LONG TERM ACUTE CARE', 'HOSPICE'])
  END AS discharge_location,
  CASE WHEN age >= 65 THEN 'Medicare' ELSE pick(ak, 'insurance', ['Private', 'Medicaid', 'Other']) END AS insurance,
  CASE WHEN uniform(k, 'language') < 0.9 THEN 'English' ELSE pick(k, 'other language', ['Spanish', 'Russian', 'Chinese']) END
    AS language,
  pick(k, 'marital', ['MARRIED', 'MARRIED', 'SINGLE', 'WIDOWED', 'DIVORCED', NULL]) AS marital_status,
  CASE
    WHEN uniform(k, 'race') < 0.66 THEN 'WHITE'
    ELSE pick(k, 'other race', ['BLACK/AFRICAN AMERICAN', 'BLACK/AFRICAN AMERICAN', 'HISPANIC/LATINO - PUERTO RICAN', 'ASIAN',
      'OTHER', 'UNKNOWN', 'UNABLE TO OBTAIN'])
  END AS race,
  CASE WHEN by_emergency THEN hours_after(admittime, -within(ak, 'waiting', 2, 9)) END AS edregtime,
  CASE WHEN by_emergency THEN hours_after(admittime, within(ak, 'boards', 0.1, 3)) END AS edouttime,
  (deathtime IS NOT NULL)::SMALLINT AS hospital_expire_flag
FROM admission
ORDER BY
  subject_id,
  admittime;

-- table: mimiciv_hosp.services
SELECT
  a.subject_id,
  a.hadm_id,
  s.transfertime,
  s.prev_service,
  s.curr_service
FROM service AS s
INNER JOIN admission AS a
  ON s.ak = a.ak
ORDER BY
  a.subject_id,
  a.hadm_id,
  s.transfertime,
  s.curr_service;

-- table: mimiciv_hosp.transfers
SELECT
  a.subject_id,
  a.hadm_id,
  (a.idx * 60 + row_number() OVER (PARTITION BY a.idx ORDER BY p.intime, p.eventtype, p.careunit))::INTEGER AS transfer_id,
  p.eventtype,
  p.careunit,
  p.intime,
  p.outtime
FROM place AS p
INNER JOIN admission AS a
  ON p.ak = a.ak
ORDER BY
  transfer_id;

-- table: mimiciv_hosp.diagnoses_icd
SELECT
  a.subject_id,
  a.hadm_id,
  row_number() OVER (PARTITION BY a.ak ORDER BY c.rank, c.icd_code) AS seq_num,
  c.icd_code,
  c.icd_version
FROM (SELECT ak, icd_code, icd_version, min(rank) AS rank FROM coded WHERE icd_code IS NOT NULL GROUP BY ALL) AS c
INNER JOIN admission AS a
  ON c.ak = a.ak
ORDER BY
  a.subject_id,
  a.hadm_id,
  seq_num;

-- table: mimiciv_hosp.procedures_icd
SELECT
  a.subject_id,
  a.hadm_id,
  row_number() OVER (PARTITION BY a.ak ORDER BY o.rank, o.icd_code) AS seq_num,
  o.chartdate,
  o.icd_code,
  o.icd_version
FROM operated AS o
INNER JOIN admission AS a
  ON o.ak = a.ak
ORDER BY
  a.subject_id,
  a.hadm_id,
  seq_num;

-- table: mimiciv_hosp.drgcodes
SELECT
  subject_id,
  hadm_id,
  unnest(['APR', 'HCFA']) AS drg_type,
  unnest([lpad((100 + idx % 600)::VARCHAR, 3, '0'), lpad((200 + idx % 600)::VARCHAR, 3, '0')]) AS drg_code,
  upper(replace(kind, '_', ' ')) AS description,
  unnest([1 + floor(4 * severity)::INTEGER, NULL]) AS drg_severity,
  unnest([1 + floor(3.9 * p_death)::INTEGER, NULL]) AS drg_mortality
FROM admission
ORDER BY
  subject_id,
  hadm_id,
  drg_type;

-- table: mimiciv_hosp.hcpcsevents
SELECT
  subject_id,
  hadm_id,
  admittime::DATE AS chartdate,
  '99291' AS hcpcs_cd,
  1 AS seq_num,
  'Critical care, first hour' AS short_description
FROM admission
WHERE
  first_in IS NOT NULL AND uniform(ak, 'billed') < 0.05
ORDER BY
  subject_id,
  hadm_id;

-- table: mimiciv_hosp.omr
WITH visit AS (
  SELECT
    a.subject_id,
    a.ak,
    a.admittime::DATE - (20 + 40 * v)::INTEGER AS chartdate,
    a.weight + bell(sub(a.ak, 'clinic', v), 'weight') AS kilograms,
    a.height,
    a.pressure
  FROM admission AS a
  CROSS JOIN (SELECT unnest([0, 1]) AS v)
  WHERE
    uniform(sub(a.ak, 'clinic', v), 'came') < 0.4
)
SELECT
  subject_id,
  chartdate,
  unnest([1, 1, 1, 1]) AS seq_num,
  unnest(['Weight (Lbs)', 'Height (Inches)', 'BMI (kg/m2)', 'Blood Pressure']) AS result_name,
  unnest([as_text(round(kilograms * 2.2046, 1)), as_text(round(height / 2.54)), as_text(round(kilograms / (height * height) * 10000, 1)),
    as_text(round(pressure + 38)) || '/' || as_text(round(pressure - 14))]) AS result_value
FROM visit
ORDER BY
  subject_id,
  chartdate,
  result_name;

-- table: mimiciv_hosp.labevents
SELECT
  (s.idx * 20000 + row_number() OVER (PARTITION BY s.idx ORDER BY s.charttime, s.tk, m.item, m.number, m.word))::INTEGER AS labevent_id,
  s.subject_id,
  s.hadm_id,
  (s.idx * 6000 + dense_rank() OVER (PARTITION BY s.idx ORDER BY s.tk))::INTEGER AS specimen_id,
  m.item AS itemid,
  CASE WHEN s.priority IS NOT NULL THEN 'P' || lpad((s.tk % 500)::VARCHAR, 5, '0') END AS order_provider_id,
  s.charttime,
  s.storetime,
  coalesce(m.word, as_text(m.number)) AS value,
  m.number AS valuenum,
  d.uom AS valueuom,
  d.low AS ref_range_lower,
  d.high AS ref_range_upper,
  CASE WHEN m.number < d.low OR m.number > d.high THEN 'abnormal' END AS flag,
  s.priority,
  NULL AS comments
FROM specimen AS s
INNER JOIN measured_lab AS m
  ON s.tk = m.tk
INNER JOIN lab_item AS d
  ON m.item = d.itemid
WHERE
  m.number IS NOT NULL OR m.word IS NOT NULL
ORDER BY
  labevent_id;

-- table: mimiciv_hosp.microbiologyevents
WITH expanded AS (
  SELECT
    c.*,
    unnest(CASE WHEN c.antibiogram THEN [1, 2, 3, 4] ELSE [0] END) AS tested
  FROM cultured AS c
), named AS (
  SELECT
    e.*,
    a.idx,
    a.subject_id,
    a.hadm_id,
    dense_rank() OVER (PARTITION BY a.idx ORDER BY hash(hash(e.ak, e.specimen), 'order'), e.ak, e.specimen) AS specimen_place,
    row_number() OVER (PARTITION BY a.idx ORDER BY e.ak, e.rank, e.specimen, e.tested) AS event_place,
    row_number() OVER (PARTITION BY e.ak, e.specimen ORDER BY e.rank, e.tested) AS test_seq
  FROM expanded AS e
  INNER JOIN admission AS a
    ON e.ak = a.ak
)
SELECT
  (n.idx * 2000 + n.event_place)::INTEGER AS microevent_id,
  n.subject_id,
  CASE WHEN n.attached THEN n.hadm_id END AS hadm_id,
  (n.idx * 500 + n.specimen_place)::INTEGER AS micro_specimen_id,
  'P' || lpad((bits(n.ak, 'micro provider') % 500)::VARCHAR, 5, '0') AS order_provider_id,
  n.chartdate,
  n.charttime,
  p.spec_itemid,
  n.spec AS spec_type_desc,
  n.test_seq,
  CASE WHEN n.resulted THEN n.chartdate + INTERVAL 3 DAY END AS storedate,
  CASE WHEN n.resulted THEN n.chartdate + INTERVAL 3 DAY + INTERVAL 11 HOUR END AS storetime,
  p.test_itemid,
  p.test AS test_name,
  n.org_itemid,
  n.organism AS org_name,
  CASE WHEN n.antibiogram THEN 1 END AS isolate_num,
  NULL AS quantity,
  CASE n.tested WHEN 0 THEN NULL ELSE 90000 + n.tested * 3 + 1 END AS ab_itemid,
  [NULL, 'GENTAMICIN', 'CEFTRIAXONE', 'PIPERACILLIN/TAZO', 'VANCOMYCIN'][n.tested + 1] AS ab_name,
  CASE WHEN n.tested > 0 THEN '<=1' END AS dilution_text,
  CASE WHEN n.tested > 0 THEN '<=' END AS dilution_comparison,
  CASE WHEN n.tested > 0 THEN 1.0 END AS dilution_value,
  CASE WHEN n.tested > 0 THEN CASE WHEN uniform(sub(n.ak, 'resists', n.tested), n.specimen) < 0.2 THEN 'R' ELSE 'S' END END
    AS interpretation,
  CASE
    WHEN NOT n.resulted THEN NULL
    WHEN n.organism IS NULL THEN pick(n.ak, 'negative wording', ['NO GROWTH.', '___', 'NEGATIVE', NULL])
  END AS comments
FROM named AS n
INNER JOIN specimen_kind AS p
  ON n.spec = p.spec
ORDER BY
  microevent_id;

-- table: mimiciv_hosp.prescriptions
SELECT
  subject_id,
  hadm_id,
  pharmacy_id,
  poe_id,
  1 AS poe_seq,
  provider AS order_provider_id,
  starttime,
  stoptime,
  drug_type,
  drug,
  NULL AS formulary_drug_cd,
  NULL AS gsn,
  '0' AS ndc,
  dose || ' ' || unit AS prod_strength,
  NULL AS form_rx,
  dose AS dose_val_rx,
  unit AS dose_unit_rx,
  '1' AS form_val_disp,
  CASE WHEN route LIKE 'IV%' THEN 'VIAL' ELSE 'TAB' END AS form_unit_disp,
  per_day AS doses_per_24_hrs,
  route
FROM ordered
ORDER BY
  pharmacy_id;

-- table: mimiciv_hosp.pharmacy
SELECT
  subject_id,
  hadm_id,
  pharmacy_id,
  poe_id,
  starttime,
  stoptime,
  drug AS medication,
  CASE WHEN route LIKE 'IV%' THEN 'IV Piggyback' ELSE 'Unit Dose' END AS proc_type,
  'Discontinued via patient discharge' AS status,
  entered AS entertime,
  entered + INTERVAL 9 MINUTE AS verifiedtime,
  route,
  CASE per_day WHEN 1 THEN 'DAILY' WHEN 2 THEN 'Q12H' WHEN 3 THEN 'Q8H' WHEN 4 THEN 'Q6H' END AS frequency,
  NULL AS disp_sched,
  NULL AS infusion_type,
  NULL AS sliding_scale,
  NULL AS lockout_interval,
  NULL AS basal_rate,
  NULL AS one_hr_max,
  per_day AS doses_per_24_hrs,
  NULL AS duration,
  NULL AS duration_interval,
  NULL AS expiration_value,
  NULL AS expiration_unit,
  NULL AS expirationdate,
  NULL AS dispensation,
  '1' AS fill_quantity
FROM ordered
ORDER BY
  pharmacy_id;

-- table: mimiciv_hosp.poe
SELECT
  poe_id,
  1 AS poe_seq,
  subject_id,
  hadm_id,
  entered AS ordertime,
  'Medications' AS order_type,
  NULL AS order_subtype,
  'New' AS transaction_type,
  NULL AS discontinue_of_poe_id,
  NULL AS discontinued_by_poe_id,
  provider AS order_provider_id,
  'Inactive' AS order_status
FROM ordered
ORDER BY
  pharmacy_id;

-- table: mimiciv_hosp.poe_detail
SELECT
  poe_id,
  1 AS poe_seq,
  subject_id,
  'Admit category' AS field_name,
  'Inpatient' AS field_value
FROM ordered
WHERE
  rank % 7 = 0
ORDER BY
  pharmacy_id;

-- table: mimiciv_hosp.emar
SELECT
  subject_id,
  hadm_id,
  emar_id,
  emar_seq,
  poe_id,
  pharmacy_id,
  NULL AS enter_provider_id,
  charttime,
  drug AS medication,
  event_txt,
  scheduletime,
  charttime + INTERVAL 1 MINUTE AS storetime
FROM administered
ORDER BY
  subject_id,
  emar_seq;

-- table: mimiciv_hosp.emar_detail
SELECT
  subject_id,
  emar_id,
  emar_seq,
  NULL AS parent_field_ordinal,
  CASE WHEN route LIKE 'IV%' THEN 'IV Piggyback' ELSE 'Standard Maintenance Medication' END AS administration_type,
  pharmacy_id,
  NULL AS barcode_type,
  NULL AS reason_for_no_barcode,
  NULL AS complete_dose_not_given,
  dose AS dose_due,
  unit AS dose_due_unit,
  CASE WHEN event_txt = 'Administered' THEN dose END AS dose_given,
  unit AS dose_given_unit,
  NULL AS will_remainder_of_dose_be_given,
  NULL AS product_amount_given,
  NULL AS product_unit,
  NULL AS product_code,
  drug AS product_description,
  NULL AS product_description_other,
  NULL AS prior_infusion_rate,
  NULL AS infusion_rate,
  NULL AS infusion_rate_adjustment,
  NULL AS infusion_rate_adjustment_amount,
  NULL AS infusion_rate_unit,
  left(route, 10) AS route,
  NULL AS infusion_complete,
  NULL AS completion_interval,
  NULL AS new_iv_bag_hung,
  NULL AS continued_infusion_in_other_location,
  NULL AS restart_interval,
  NULL AS side,
  NULL AS site,
  NULL AS non_formulary_visual_verification
FROM administered
ORDER BY
  subject_id,
  emar_seq;
