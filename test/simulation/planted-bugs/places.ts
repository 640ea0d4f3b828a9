import { parseSync, Visitor } from 'oxc-parser'
import { httpClient, textOf, withImports } from '../../imports/run-time-imports.ts'
import { createChance } from '../chance.ts'

/** A change of one place in the source. */
export interface Place {
  readonly file: string
  readonly line: number
  /** What is done to it, in words. */
  readonly change: string
  /** The file with the change. */
  readonly contents: string
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

const otherOperators: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
  '??': '&&',
}

/** In place of a statement, also between `if` and `else`. */
const nothing = '{}'

/** The functions that do the work. */
const working = ['worker', 'compare', 'tables'].map((name) => `functions/${name}/handler.ts`)

/** Files that the publisher does not run, and that what it checks was made with. */
function filesOutside(): string[] {
  const inside = new Set(withImports(['functions/publisher/handler.ts', ...httpClient]))
  return withImports(working).filter((file) => !inside.has(file))
}

/** Draws places: each line with code is as likely as any other, and so is each change that can be made to it. */
export function drawPlaces(count: number, seed: number): Place[] {
  const { pick } = createChance(seed)
  const lines = filesOutside().flatMap((file) => changesByLine(file))
  const left = new Set(lines)
  const places: Place[] = []
  while (places.length < count && left.size > 0) {
    const line = pick([...left])
    left.delete(line)
    places.push(pick(line))
  }
  return places
}

/** The changes of a file, those of one line together. */
function changesByLine(file: string): readonly Place[][] {
  const text = textOf(file)
  const places = editsOf(file, text).map(({ start, end, text: replacement }) => ({
    file,
    line: text.slice(0, start).split('\n').length,
    change: `${short(text.slice(start, end))} becomes ${replacement === nothing ? 'nothing' : short(replacement)}`,
    contents: `${text.slice(0, start)}${replacement}${text.slice(end)}`,
  }))
  return [...Map.groupBy(places, ({ line }) => line).values()]
}

const short = (text: string) => `\`${text.replaceAll(/\s+/g, ' ').slice(0, 60)}\``

/** What can be changed in a file: operators, conditions, numbers, truth values, and calls that are left out. */
function editsOf(file: string, text: string): Edit[] {
  const edits: Edit[] = []
  const operator = (node: { left: Span; right: Span; operator: string }) => {
    const other = otherOperators[node.operator]
    if (other === undefined) return
    const start = text.indexOf(node.operator, node.left.end)
    edits.push({ start, end: start + node.operator.length, text: other })
  }
  const leaveOut = ({ start, end }: Span) => edits.push({ start, end, text: nothing })
  const negate = ({ start, end }: Span) => edits.push({ start, end, text: `!(${text.slice(start, end)})` })
  new Visitor({
    BinaryExpression: operator,
    LogicalExpression: operator,
    IfStatement: ({ test }) => void negate(test),
    ConditionalExpression: ({ test }) => void negate(test),
    ExpressionStatement: leaveOut,
    SpreadElement: ({ start, end }) => void edits.push({ start, end, text: '...[]' }),
    Literal({ start, end, value }) {
      if (typeof value === 'number') edits.push({ start, end, text: String(value + 1) })
      if (typeof value === 'boolean') edits.push({ start, end, text: String(!value) })
    },
  }).visit(parseSync(file, text).program)
  return edits
}

interface Span {
  readonly start: number
  readonly end: number
}
