import assert from 'node:assert/strict'

/** A log line as JSON, or a row of results. */
export type Row = Readonly<Record<string, unknown>>
type Test = (row: Row) => boolean

/**
 * Runs a query of CloudWatch Logs Insights on log lines, the oldest first: the part of its language that the saved
 * queries use.
 */
export function runQuery(text: string, lines: readonly Row[]): Row[] {
  return text.split('\n| ').reduce<Row[]>(
    (rows, command) => {
      const [, name = '', rest = ''] = /^(\w+) (.+)$/.exec(command) ?? []
      const run = commands[name]
      assert.ok(run, `The command '${name}' of a query is not known here.`)
      return run(rest, rows)
    },
    lines.map((line, index) => ({ ...line, '@timestamp': index })),
  )
}

const commands: Readonly<Record<string, (rest: string, rows: Row[]) => Row[]>> = {
  filter: (rest, rows) => rows.filter(testOf(rest)),
  limit: (rest, rows) => rows.slice(0, Number(rest)),
  fields: (rest, rows) => rows.map((row) => ({ ...row, ...project(rest.split(/, /), row) })),
  sort(rest, rows) {
    const [field = '', direction] = rest.split(' ')
    const sign = direction === 'desc' ? -1 : 1
    return rows.toSorted((a, b) => sign * inOrder(fieldOf(a, field), fieldOf(b, field)))
  },
  stats(rest, rows) {
    const [calculations = '', by = ''] = rest.split(' by ')
    const fields = by.split(', ')
    const groups = Map.groupBy(rows, (row) => JSON.stringify(fields.map((field) => fieldOf(row, field))))
    return [...groups.values()].map((group) => ({
      ...project(fields, group[0] ?? {}),
      ...Object.fromEntries(
        [...calculations.matchAll(/(\w+)\(([^)]*)\) as (\w+)/g)].map(([, name = '', of = '', as = '']) => [
          as,
          calculate(name, of, group),
        ]),
      ),
    }))
  },
}

function fieldOf(row: Row, field: string): unknown {
  if (field in row) return row[field]
  const [first = '', ...rest] = field.split('.')
  const inner = row[first]
  return rest.length > 0 && typeof inner === 'object' && inner !== null
    ? fieldOf(inner as Row, rest.join('.'))
    : undefined
}

const project = (fields: readonly string[], row: Row): Row =>
  Object.fromEntries(fields.map((field) => [field, fieldOf(row, field)]))

const inOrder = (a: unknown, b: unknown): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b))

function calculate(name: string, of: string, rows: readonly Row[]): unknown {
  const [field = '', percent] = of.split(', ')
  const values = rows.map((row) => fieldOf(row, field))
  const numbers = values.filter((value) => typeof value === 'number').toSorted((a, b) => a - b)
  switch (name) {
    case 'count':
      return rows.length
    case 'latest':
      return values.at(-1)
    case 'avg':
      return numbers.reduce((sum, value) => sum + value, 0) / numbers.length
    case 'pct':
      return numbers[Math.max(0, Math.ceil((Number(percent) / 100) * numbers.length) - 1)]
    default:
      throw new Error(`The function '${name}' of a query is not known here.`)
  }
}

const tokens = /\(|\)|'[^']*'|\/[^/]*\/|\[[^\]]*\]|!=|>=|<=|[=<>]|[@\w.]+/g

/** A condition: comparisons with `and`, `or` and parentheses. */
function testOf(condition: string): Test {
  const rest = condition.match(tokens) ?? []
  const take = () => rest.shift() ?? ''

  function either(): Test {
    let test = both()
    while (rest[0] === 'or') {
      take()
      const [one, other] = [test, both()]
      test = (row) => one(row) || other(row)
    }
    return test
  }
  function both(): Test {
    let test = single()
    while (rest[0] === 'and') {
      take()
      const [one, other] = [test, single()]
      test = (row) => one(row) && other(row)
    }
    return test
  }
  function single(): Test {
    const field = take()
    if (field !== '(') return comparison(field, take(), take())
    const test = either()
    assert.equal(take(), ')')
    return test
  }
  const test = either()
  assert.deepEqual(rest, [], condition)
  return test
}

const literal = (text: string): unknown =>
  text.startsWith("'") ? text.slice(1, -1) : text.startsWith('[') ? list(text) : Number(text)
const list = (text: string): unknown[] => text.slice(1, -1).split(', ').map(literal)

function comparison(field: string, operator: string, operand: string): Test {
  const of = (row: Row) => fieldOf(row, field)
  if (operator === 'like') {
    const pattern = new RegExp(operand.slice(1, -1))
    return (row) => {
      const value = of(row)
      return typeof value === 'string' && pattern.test(value)
    }
  }
  const value = literal(operand)
  const tests: Readonly<Record<string, Test>> = {
    '=': (row) => of(row) === value,
    '!=': (row) => of(row) !== value,
    '>': (row) => Number(of(row)) > Number(value),
    '>=': (row) => Number(of(row)) >= Number(value),
    in: (row) => (value as unknown[]).includes(of(row)),
  }
  const test = tests[operator]
  assert.ok(test, `The operator '${operator}' of a query is not known here.`)
  return test
}
