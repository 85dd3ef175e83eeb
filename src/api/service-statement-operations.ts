import type { OperationDetails } from './operation.ts'
import { onService, organizationId, serviceId } from './parameters.ts'
import { closed, text, uuid } from './schema.ts'
import { CancelledQuery, ExportBody, StatementBody, StatementLine } from './service-statement.ts'

const statementErrors = ['CONFLICT', 'CANCELLED', 'LIMIT_EXCEEDED', 'FAILED_DEPENDENCY'] as const

export const serviceStatementOperations = {
  'services.query': {
    summary: 'Run a statement',
    description:
      'The answer is one JSON object a line, written as the engine makes it: `waking` and `progress` while nothing else comes, `columns`, `rows` again and again, last `done` or the error. A key without `services:manage` runs it read-only. Closing the connection cancels the query.',
    permission: 'services:view',
    params: onService,
    body: StatementBody,
    asks: 'quietly',
    result: StatementLine,
    errors: statementErrors,
  },
  'services.export': {
    summary: 'Export the result of a statement',
    description:
      'The whole result as a file, written as the engine makes it; its type follows the format. An answer that breaks off is not complete: it ends with a block that holds the error, as an answer of ClickHouse does, marked by the tag in the header `X-ClickHouse-Exception-Tag`.',
    permission: 'services:view',
    params: onService,
    body: ExportBody,
    asks: 'quietly',
    result: text('The file.'),
    errors: statementErrors,
  },
  'services.cancelQuery': {
    summary: 'Cancel a query',
    description: 'A key without `services:manage` cancels only its own queries.',
    permission: 'services:view',
    params: closed({ organizationId, serviceId, queryId: uuid('The query, as its `queryId` says.') }),
    result: CancelledQuery,
    errors: ['FAILED_DEPENDENCY'],
  },
} as const satisfies Record<string, OperationDetails>
