"""All that speaks to PostgreSQL: nothing outside imports psycopg."""
