-- The first start of the database in compose.yaml: a role that owns its tables, and no superuser.
\getenv password POSTGRES_PASSWORD
CREATE ROLE deniable LOGIN PASSWORD :'password';
ALTER DATABASE study OWNER TO deniable;
-- With these, the store begins a new log of writes whenever it is settled.
GRANT pg_checkpoint TO deniable;
GRANT EXECUTE ON FUNCTION pg_switch_wal() TO deniable;
