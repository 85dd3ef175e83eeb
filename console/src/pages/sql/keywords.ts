/** Words of ClickHouse's SQL, for colours and completion. */
export const keywords =
  `add after alias all alter and anti any array as asc asof attach between both by case cast check clear cluster codec
  column columns comment constraint create cross cube current database databases deduplicate default delete desc
  describe detach dictionary distinct drop else end engine escape except exchange exists explain extract false fetch
  fill final first following for format freeze from full function global grant group grouping having if ilike in index
  inner insert intersect interval into is join key kill last leading left lightweight like limit live materialize
  materialized minute modify month move mutation not null nulls offset on optimize or order outer over partition paste
  pipeline plan populate preceding prewhere primary projection qualify range recursive refresh rename replace revoke
  right rollup row rows sample second select semi set sets settings show sync syntax system table tables temporary
  then ties to top totals trailing trim true truncate ttl type unbounded union update use user using uuid values view
  volatile watch week when where window with within year day hour quarter`
    .split(/\s+/)
    .filter((word) => word !== '')
