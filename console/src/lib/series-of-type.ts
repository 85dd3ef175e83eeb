/** A series as another kind of tile can carry it: what does not belong there is left out, what is needed is there. */
const charted = [
  ...['dataSource', 'sourceId', 'aggFn', 'where', 'whereLanguage', 'groupBy', 'field', 'level', 'alias'],
  ...['numberFormat', 'metricName', 'metricDataType'],
]

const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  time: [...charted, 'displayType', 'sql'],
  table: [...charted, 'sortOrder', 'sql'],
  number: [...charted, 'sql'],
  histogram: charted,
  search: ['dataSource', 'sourceId', 'where', 'whereLanguage', 'groupBy', 'fields', 'sql'],
  markdown: ['content'],
}

export function seriesOfType<T extends { type: string }>(series: T, type: T['type']): T {
  const kept = Object.entries(series).filter(([name]) => fieldsOf[type]?.includes(name))
  const given = Object.fromEntries(kept)
  const isCounted = type !== 'search' && type !== 'markdown'
  return {
    ...{ dataSource: 'events', where: '', groupBy: [] },
    ...given,
    type,
    aggFn: 'sql' in given ? 'none' : isCounted ? given['aggFn'] || 'count' : '',
    ...(type === 'histogram' || type === 'search' ? { groupBy: [] } : {}),
    ...(type === 'search' ? { fields: given['fields'] ?? [] } : {}),
    ...(type === 'markdown' ? { content: given['content'] ?? '' } : {}),
  } as unknown as T
}
