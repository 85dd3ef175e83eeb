/** A dashboard as Grafana exports it, with panels on ClickHouse and some of what people add to them. */
const clickhouse = { type: 'grafana-clickhouse-datasource', uid: 'PDEE91DDB90597936' }
const target = (rawSql: string, refId = 'A') => ({
  ...{ datasource: clickhouse, editorType: 'sql', format: 1, queryType: 'timeseries', rawSql, refId },
  pluginVersion: '4.10.2',
})

export const grafanaDashboard = {
  annotations: {
    list: [
      { builtIn: 1, datasource: { type: 'grafana', uid: '-- Grafana --' }, name: 'Annotations & Alerts' },
    ],
  },
  ...{
    editable: true,
    fiscalYearStartMonth: 0,
    graphTooltip: 1,
    id: 12,
    links: [],
    uid: 'shop',
    version: 31,
  },
  ...{ title: 'Shop', tags: ['shop', 'production'], timezone: 'browser', schemaVersion: 41, weekStart: '' },
  ...{ time: { from: 'now-6h', to: 'now' }, timepicker: {}, refresh: '30s', preload: false },
  templating: {
    list: [
      { name: 'ds', type: 'datasource', query: 'grafana-clickhouse-datasource', current: {} },
      {
        ...{
          name: 'service',
          label: 'Service',
          type: 'query',
          datasource: clickhouse,
          includeAll: true,
          multi: true,
        },
        ...{ query: 'SELECT DISTINCT service FROM shop.logs', current: { text: ['All'], value: ['$__all'] } },
      },
    ],
  },
  panels: [
    {
      collapsed: false,
      gridPos: { h: 1, w: 24, x: 0, y: 0 },
      id: 10,
      panels: [],
      title: 'Traffic',
      type: 'row',
    },
    {
      ...{
        id: 1,
        type: 'timeseries',
        title: 'Errors',
        datasource: clickhouse,
        gridPos: { h: 8, w: 12, x: 0, y: 1 },
      },
      fieldConfig: {
        defaults: {
          ...{
            color: { mode: 'palette-classic' },
            custom: { drawStyle: 'line', lineWidth: 1 },
            mappings: [],
          },
          ...{ thresholds: { mode: 'absolute', steps: [{ color: 'green', value: null }] }, unit: 'short' },
        },
        overrides: [],
      },
      options: { legend: { showLegend: true }, tooltip: { mode: 'multi' } },
      targets: [
        target(
          'SELECT $__timeInterval(ts) AS time, service, count() AS errors FROM shop.logs WHERE $__timeFilter(ts) AND $__conditionalAll(service IN ($\u007bservice:singlequote}), $service) GROUP BY time, service ORDER BY time',
        ),
      ],
    },
    {
      ...{ id: 2, type: 'stat', title: 'p95', datasource: clickhouse, gridPos: { h: 4, w: 6, x: 12, y: 1 } },
      fieldConfig: {
        defaults: {
          ...{ unit: 'ms', decimals: 1 },
          thresholds: {
            mode: 'absolute',
            steps: [
              { color: 'green', value: null },
              { color: 'red', value: 80 },
            ],
          },
        },
        overrides: [],
      },
      targets: [target('SELECT quantile(0.95)(duration) FROM shop.logs WHERE $__timeFilter(ts)')],
    },
    {
      ...{
        id: 7,
        type: 'piechart',
        title: 'By country',
        datasource: clickhouse,
        gridPos: { h: 4, w: 6, x: 18, y: 1 },
      },
      targets: [target('SELECT country, count() FROM shop.logs GROUP BY country')],
    },
    {
      ...{ id: 11, type: 'row', title: 'Details', collapsed: true, gridPos: { h: 1, w: 24, x: 0, y: 9 } },
      panels: [
        {
          ...{
            id: 4,
            type: 'logs',
            title: 'Log',
            datasource: clickhouse,
            gridPos: { h: 8, w: 24, x: 0, y: 10 },
          },
          targets: [target('SELECT ts AS timestamp, body FROM shop.logs WHERE $__timeFilter(ts) LIMIT 100')],
          transformations: [{ id: 'organize', options: {} }],
        },
        {
          ...{ id: 5, type: 'text', title: '', gridPos: { h: 3, w: 24, x: 0, y: 18 } },
          options: { mode: 'markdown', content: '## On call\n\nAsk *ops*.' },
        },
      ],
    },
  ],
}
