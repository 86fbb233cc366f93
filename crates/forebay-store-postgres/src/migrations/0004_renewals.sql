-- How often passages were indexed anew: who holds their words lets go of them. `purges` grows then, too, and by itself
-- where passages are gone, which is less to find out.
ALTER TABLE project ADD COLUMN renewals bigint NOT NULL DEFAULT 0;
