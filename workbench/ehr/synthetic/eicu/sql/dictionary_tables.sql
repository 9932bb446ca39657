-- table: eicu_crd.hospital
SELECT
  hospitalid,
  beds AS numbedscategory,
  teaching AS teachingstatus,
  region
FROM hospital_row
ORDER BY
  hospitalid;
