import {
  ChartBody,
  ChartMeta,
  ChartRows,
  TileQueryBody,
  VariableValues,
  WhereBody,
  WhereCheck,
} from './chart.ts'
import type { OperationDetails } from './operation.ts'
import { closed, Type } from './schema.ts'

const hexId = (description: string) => Type.String({ pattern: '^[0-9a-f]{24}$', description })
const dashboardId = hexId('The dashboard: 24 hex digits.')

/** Questions that read the data of services. */
export const chartOperations = {
  'dashboards.queryTile': {
    summary: 'Ask for the data of a tile',
    description:
      'The range is that of the dashboard unless the body gives one. An idle service is woken; a stopped one answers 424. With `Accept: application/x-ndjson` progress comes first, line by line.',
    permission: 'dashboards:view',
    params: closed({ dashboardId, tileId: hexId('The tile: 24 hex digits.') }),
    body: TileQueryBody,
    bodyIsOptional: true,
    asks: 'progress',
    result: ChartRows,
    meta: ChartMeta,
    errors: ['LIMIT_EXCEEDED', 'FAILED_DEPENDENCY'],
  },
  'dashboards.listVariableValues': {
    summary: 'List the values of a variable',
    description: 'Those of a list, or what the statement of a query variable gives.',
    permission: 'dashboards:view',
    params: closed({
      dashboardId,
      name: Type.String({
        pattern: '^[A-Za-z][A-Za-z0-9_]{0,63}$',
        description: 'The name of the variable.',
      }),
    }),
    body: TileQueryBody,
    bodyIsOptional: true,
    asks: 'quietly',
    result: VariableValues,
    errors: ['LIMIT_EXCEEDED', 'FAILED_DEPENDENCY'],
  },
  'charts.series': {
    summary: 'Ask for data',
    description:
      'Series as in a tile, stored nowhere. With `Accept: application/x-ndjson` progress comes first, line by line.',
    permission: 'dashboards:view',
    params: closed({}),
    body: ChartBody,
    asks: 'progress',
    result: ChartRows,
    meta: ChartMeta,
    errors: ['LIMIT_EXCEEDED', 'FAILED_DEPENDENCY'],
  },
  'charts.where': {
    summary: 'Check a filter',
    description: 'By the columns of the source; no row is read.',
    permission: 'dashboards:view',
    params: closed({}),
    body: WhereBody,
    asks: 'quietly',
    result: WhereCheck,
    errors: ['FAILED_DEPENDENCY'],
  },
} as const satisfies Record<string, OperationDetails>
