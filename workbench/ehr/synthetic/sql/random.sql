-- All chance comes from here: a key (64 bits that belong to one patient, admission, stay or moment) and the
-- name of a stream give a number; nothing depends on order, threads or on how many patients there are.
-- The outer hash breaks the linear relation between the hashes of related inputs.

CREATE OR REPLACE MACRO bits(k, stream) AS hash(hash(k, stream));

CREATE OR REPLACE MACRO sub(k, stream, n) AS hash(hash(k, stream), n);

CREATE OR REPLACE MACRO uniform(k, stream) AS (bits(k, stream) >> 11)::DOUBLE / 9007199254740992.0;

-- Sum of four 16 bit uniforms, standardised: exact arithmetic, so equal on every machine; |bell| < 3.5.
CREATE OR REPLACE MACRO bell_of(h) AS
  ((((h & 65535) + ((h >> 16) & 65535) + ((h >> 32) & 65535) + (h >> 48))::DOUBLE) - 131070.0) / 37836.6;

CREATE OR REPLACE MACRO bell(k, stream) AS bell_of(bits(k, stream));

CREATE OR REPLACE MACRO within(k, stream, low, high) AS low + (high - low) * uniform(k, stream);

CREATE OR REPLACE MACRO lognormal(k, stream, median, spread) AS median * exp(spread * bell(k, stream));

-- Slow noise: straight lines between knots `every` hours apart.
CREATE OR REPLACE MACRO drift(k, stream, t, every) AS
  bell_of(hash(hash(hash(k, stream), floor(t / every)::BIGINT))) * (1 - (t / every - floor(t / every)))
  + bell_of(hash(hash(hash(k, stream), floor(t / every)::BIGINT + 1))) * (t / every - floor(t / every));

CREATE OR REPLACE MACRO clip(x, low, high) AS least(greatest(x, low), high);

CREATE OR REPLACE MACRO pick(k, stream, options) AS
  options[1 + floor(uniform(k, stream) * len(options))::INTEGER];

-- How often an edge of rates.py is planted, and whether it is planted here.
CREATE OR REPLACE MACRO rate(edge) AS getvariable('rates')[edge];

CREATE OR REPLACE MACRO edge_here(k, edge) AS uniform(k, edge) < rate(edge);

-- Evenly spread over patients: exactly one of each run of 1 / rate patients, so that a few hundred patients
-- carry every edge whatever the seed, and a patient's edges still do not depend on how many others there are.
CREATE OR REPLACE MACRO one_of_run(idx, edge, run) AS
  idx % run = (hash(hash(getvariable('seed')::BIGINT, edge), idx // run) % run::UBIGINT)::BIGINT;

CREATE OR REPLACE MACRO edge_of(idx, edge) AS one_of_run(idx, edge, round(1 / rate(edge))::BIGINT);

-- Which of n variants of an edge the patient carries: one after the other.
CREATE OR REPLACE MACRO turn_in(idx, edge, n) AS (idx // round(1 / rate(edge))::BIGINT) % n;

-- By how much a seed moves identifiers that start at 8 digits; seed 1 moves none. Neighbouring seeds lie further apart
-- than one source reaches, and every seed stays within the digits.
CREATE OR REPLACE MACRO moved(each) AS ((getvariable('seed')::BIGINT - 1) * 104729 % (9500000 // each)) * each;

-- Place of a patient on a circle that neighbours divide by the golden angle, for edges that exclude each other.
CREATE OR REPLACE MACRO turn(idx, stream) AS
  (idx + 1) * 0.6180339887498949 + uniform(hash(getvariable('seed')::BIGINT), stream);

CREATE OR REPLACE MACRO placed_at(idx, stream) AS turn(idx, stream) - floor(turn(idx, stream));

CREATE OR REPLACE MACRO hours_after(moment, h) AS moment + to_seconds(round(h * 3600)::BIGINT);

CREATE OR REPLACE MACRO hours_between(early, late) AS (epoch(late) - epoch(early)) / 3600.0;

CREATE OR REPLACE MACRO on_minute(moment) AS date_trunc('minute', moment);

-- How a number looks in the text column beside it.
CREATE OR REPLACE MACRO as_text(x) AS
  CASE WHEN x = floor(x) AND abs(x) < 1e15 THEN x::BIGINT::VARCHAR ELSE x::VARCHAR END;

-- Course of an illness: 0 none to 1 worst, t hours from ICU admission. It grows before admission, peaks, fades;
-- in those who die it grows to the end.
CREATE OR REPLACE MACRO course(t, severity, peak, fade, los, dies) AS
  CASE
    WHEN t < 0 THEN severity * 0.45 * exp(t / 30.0)
    WHEN dies THEN least(1.0, severity * (0.60 + 0.50 * t / los))
    WHEN t < peak THEN severity * (0.45 + 0.55 * t / peak)
    ELSE severity * exp(-(t - peak) / fade)
  END;

-- Creatinine over its baseline: rises over about 36 h to `top`, falls over a week; 1 without kidney injury.
CREATE OR REPLACE MACRO kidney(t, top, start) AS
  1 + (top - 1) * CASE
    WHEN t < start THEN 0
    WHEN t < start + 36 THEN (t - start) / 36.0
    ELSE exp(-(t - start - 36) / 90.0)
  END;

-- Whether an admission is coded in ICD-9.
CREATE OR REPLACE MACRO by_icd_9(ak) AS uniform(ak, 'code version') < 0.42;

-- ICU stays of a patient's n-th admission: the first admission has at least one.
CREATE OR REPLACE MACRO icu_stays(ak, n) AS
  CASE
    WHEN n = 0 THEN CASE WHEN uniform(ak, 'icu stays') < rate('patient-several-stays') THEN 2 ELSE 1 END
    WHEN uniform(ak, 'icu stays') < 0.42 THEN 0
    WHEN uniform(ak, 'icu stays') < 0.92 THEN 1
    ELSE 2
  END;
