import type { DashboardInput, SeriesInput, TileInput } from '../domain/dashboard/types.ts'
import { serviceNames } from './shop/traffic.ts'

/** The name of the tile that the alert watches. */
export const watchedTile = 'Error rate'

/** The dashboard of the demo, on the sources of these names: every type of tile, on 24 columns. */
export function demoDashboard(sources: { requests: string; metrics: string }): DashboardInput {
  const requests = requestsOf(sources.requests)
  const metric = metricsOf(sources.metrics)
  return {
    name: 'Web shop',
    tags: ['demo'],
    timeRange: { from: 'now-24h', to: 'now' },
    refresh: '30s',
    variables: [
      { name: 'service', label: 'Service', kind: 'list', values: [...serviceNames], multi: true },
      {
        ...{ name: 'country', label: 'Country', kind: 'query', multi: true, dataSource: sources.requests },
        sql: 'SELECT country FROM requests WHERE $__timeFilter(timestamp) GROUP BY country ORDER BY count() DESC',
      },
    ],
    tiles: [
      ...numbers(requests),
      ...charts(requests),
      ...tables(requests),
      ...resources(metric),
      ...texts(requests),
    ],
  }
}

type Make = (series: Partial<SeriesInput>) => SeriesInput
type Format = NonNullable<SeriesInput['numberFormat']>

const chosen = 'service:$service AND country:$country'
const count: Format = { output: 'number', average: true, mantissa: 1 }
const percent: Format = { output: 'percent', mantissa: 2 }
const milliseconds: Format = { output: 'duration', factor: 0.001 }
const euros: Format = { output: 'currency', currencySymbol: '€', thousandSeparated: true, mantissa: 0 }

const requestsOf =
  (dataSource: string): Make =>
  ({ where = '', ...series }) => ({
    ...{ type: 'time', dataSource, aggFn: 'count' },
    where: where === '' ? chosen : `${where} AND ${chosen}`,
    ...series,
  })

const metricsOf =
  (dataSource: string): Make =>
  (series) => ({
    ...{ type: 'time', dataSource, aggFn: 'avg', where: 'ServiceName:$service', groupBy: ['ServiceName'] },
    ...series,
  })

const tile = (
  name: string,
  [x, y, w, h]: [number, number, number, number],
  ...series: SeriesInput[]
): TileInput => ({
  ...{ name, x, y, w, h, series },
})

function numbers(requests: Make): TileInput[] {
  const number: Make = (series) => requests({ type: 'number', ...series })
  return [
    tile('Requests', [0, 0, 4, 4], number({ numberFormat: count })),
    {
      ...tile(watchedTile, [4, 0, 4, 4], number({ where: 'level:error', numberFormat: percent }), number({})),
      asRatio: true,
    },
    tile(
      '95 of 100 answers within',
      [8, 0, 4, 4],
      number({ aggFn: 'p95', field: 'duration', numberFormat: milliseconds }),
    ),
    tile('Orders', [12, 0, 4, 4], number({ where: 'amount:>0', numberFormat: count })),
    tile('Revenue', [16, 0, 4, 4], number({ aggFn: 'sum', field: 'amount', numberFormat: euros })),
    tile(
      'Customers',
      [20, 0, 4, 4],
      number({ aggFn: 'count_distinct', field: 'user_id', where: 'user_id:>0', numberFormat: count }),
    ),
  ]
}

function charts(requests: Make): TileInput[] {
  const latency = (aggFn: 'p50' | 'p95' | 'p99', alias: string) =>
    requests({ aggFn, field: 'duration', alias, numberFormat: milliseconds })
  return [
    tile(
      'Requests per minute by service',
      [0, 4, 14, 8],
      requests({ aggFn: 'count_per_min', groupBy: ['service'], displayType: 'stacked_bar' }),
    ),
    tile('Errors by service', [14, 4, 10, 8], requests({ where: 'level:error', groupBy: ['service'] })),
    tile('Latency', [0, 12, 14, 8], latency('p50', 'half'), latency('p95', '95 %'), latency('p99', '99 %')),
    tile(
      'How long answers take',
      [14, 12, 10, 8],
      requests({
        type: 'histogram',
        field: 'duration',
        where: 'duration:<500',
        alias: 'requests',
        numberFormat: milliseconds,
      }),
    ),
  ]
}

/** Numbers in paths are those of products. */
const endpoint = `replaceRegexpOne(cutQueryString(path), '[0-9]+$', ':id')`

function tables(requests: Make): TileInput[] {
  const table: Make = (series) => requests({ type: 'table', ...series })
  const byEndpoint: Make = (series) => table({ groupBy: ['service', endpoint], ...series })
  const byCountry: Make = (series) => table({ groupBy: ['country'], ...series })
  return [
    tile(
      'Endpoints',
      [0, 20, 14, 9],
      byEndpoint({ alias: 'Requests', numberFormat: count }),
      byEndpoint({ alias: 'Errors', where: 'level:error' }),
      byEndpoint({ alias: '95 %', aggFn: 'p95', field: 'duration', numberFormat: milliseconds }),
      byEndpoint({ alias: 'Sent', aggFn: 'sum', field: 'bytes', numberFormat: { output: 'byte' } }),
    ),
    tile(
      'Countries',
      [14, 20, 10, 9],
      byCountry({ alias: 'Revenue', aggFn: 'sum', field: 'amount', numberFormat: euros }),
      byCountry({ alias: 'Orders', where: 'amount:>0' }),
      byCountry({ alias: 'Requests', numberFormat: count }),
    ),
  ]
}

function resources(metric: Make): TileInput[] {
  return [
    tile(
      'CPU',
      [0, 29, 8, 7],
      metric({ metricName: 'process.cpu.utilization', metricDataType: 'gauge', numberFormat: percent }),
    ),
    tile(
      'Memory',
      [8, 29, 8, 7],
      metric({
        metricName: 'process.memory.usage',
        metricDataType: 'gauge',
        aggFn: 'max',
        numberFormat: { output: 'byte' },
      }),
    ),
    tile(
      'Latency as the servers measure it',
      [16, 29, 8, 7],
      metric({
        metricName: 'http.server.duration',
        metricDataType: 'histogram',
        aggFn: 'p95',
        numberFormat: milliseconds,
      }),
    ),
  ]
}

function texts(requests: Make): TileInput[] {
  return [
    tile(
      'Latest problems',
      [0, 36, 16, 10],
      requests({
        ...{ type: 'search', aggFn: '', where: 'level:(error OR warn)' },
        fields: ['timestamp', 'level', 'service', 'status', 'duration_ms', 'message'],
      }),
    ),
    tile('About this demo', [16, 36, 8, 10], { type: 'markdown', content: about }),
  ]
}

const about = `A shop that sells what comes out of a granary, and does not exist.

- **Look for the incident**: some hours ago one of the services failed. Which one? Click a service in a legend, or choose it above.
- **Ask yourself**: the rows are in \`shop.requests\` and \`shop.metrics\` of the service *demo*.
- **It goes on**: new requests come every minute through the pipe *shop requests*, as long as somebody looks. While nobody does, the service sleeps; what it missed is filled in when it wakes.
- **Change it**: this is a dashboard like any other. What you change stays when the demo is removed.

Remove it with \`granary demo --remove\`, or in Settings.`
