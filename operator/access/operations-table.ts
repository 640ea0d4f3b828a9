import { markdownTable, withGenerated } from '../text/generated-tables.ts'
import { actionsByKind, type OperatorAction, operations, type ResourceKind } from './operations.ts'

/** With a customer managed key. */
const isKey: ReadonlySet<ResourceKind> = new Set(['key', 'previous keys'])

/** Calls that many commands need together. */
const groups: Readonly<Record<string, readonly string[]>> = {
  state: ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query'],
  bucket: ['s3:GetObject', 's3:ListBucket'],
  versions: ['s3:GetObjectVersion', 's3:ListBucketVersions'],
  start: ['states:StartExecution', 'states:DescribeExecution'],
  pause: [
    'cloudformation:ListStackResources',
    'scheduler:GetSchedule',
    'scheduler:UpdateSchedule',
    'iam:PassRole',
    'dynamodb:UpdateItem',
  ],
  stacks: ['cloudformation:GetTemplate', 'cloudformation:ListStackResources', 'scheduler:GetSchedule'],
}

/** Every command finds the deployment with it. */
const finding = 'cloudformation:DescribeStacks'

function operationsTable(): string {
  const rows = Map.groupBy(operations, (operation) => `${operation.role} | ${callsOf(operation)}`)
  const ofGroups = Object.entries(groups).map(([group, calls]) => [`*${group}*`, listed(calls)])
  const ofOperations = [...rows].map(([row, same]) => [listed(same.map(({ name }) => name)), row])
  return [
    markdownTable(['group', 'AWS calls'], ofGroups),
    markdownTable(['command or action', 'role', 'groups and AWS calls'], ofOperations),
  ].join('\n\n')
}

function callsOf({ grants }: OperatorAction): string {
  const calls = new Set(
    [...actionsByKind(grants)].filter(([on]) => !isKey.has(on)).flatMap(([, actions]) => actions),
  )
  const complete = Object.entries(groups).filter(([, members]) => members.every((call) => calls.has(call)))
  const grouped = new Set([finding, ...complete.flatMap(([, members]) => members)])
  const others = [...calls].filter((call) => !grouped.has(call))
  const cells = [...complete.map(([group]) => `*${group}*`), ...(others.length > 0 ? [listed(others)] : [])]
  return cells.join(', ') || 'none'
}

const listed = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')

/** docs/permissions.md with its table brought up to date. */
export const withOperationsTable = (page: string): string => withGenerated(page, [operationsTable()])
