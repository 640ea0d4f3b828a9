import type { PageName } from './pages.ts'

/** A situation of a page as a drill: it is created, then resolved as the page describes, and everything is healthy. */
export interface Drill<World, Operator> {
  readonly page: PageName
  /** The heading, or the sentence in bold, without backticks and without the period. */
  readonly situation: string
  /** Which case, where one situation has several drills. */
  readonly variant?: string
  /** Creates the situation and returns a function that resolves it, which fails if the page's commands do not. */
  readonly create: (world: World) => Promise<(operator: Operator) => Promise<void>>
}

/** The drill of a situation, or of a variant of one. */
export function drill<World, Operator>(
  page: PageName,
  of: string | readonly [situation: string, variant: string],
  create: Drill<World, Operator>['create'],
): Drill<World, Operator> {
  if (typeof of === 'string') return { page, situation: of, create }
  return { page, situation: of[0], variant: of[1], create }
}

/** What a drill took, from the moment at which the situation existed. */
export interface Effort {
  readonly drill: string
  /** Commands, saved queries and calls. */
  readonly steps: number
  readonly seconds: number
}

export const nameOf = ({ page, situation, variant }: Omit<Drill<never, never>, 'create'>) =>
  `${page}, ${situation}${variant === undefined ? '' : ` (${variant})`}`

/** Counts what an operator does. */
export interface Counter {
  readonly count: () => void
}

/** The same step, which counts each of its calls. */
export const counted =
  <Args extends unknown[], Result>(step: (...args: Args) => Result, { count }: Counter) =>
  (...args: Args): Result => {
    count()
    return step(...args)
  }

/** Creates the situation, resolves it and measures that. */
export async function runDrill<World, Operator>(
  drill: Drill<World, Operator>,
  world: World,
  operatorOf: (counter: Counter) => Operator,
): Promise<Effort> {
  let steps = 0
  const resolve = await drill.create(world)
  const startedAt = Date.now()
  const count = () => {
    steps++
  }
  await resolve(operatorOf({ count }))
  return { drill: nameOf(drill), steps, seconds: (Date.now() - startedAt) / 1000 }
}

/** A table of what the drills took. */
export function effortTable(efforts: readonly Effort[]): string {
  const rows = efforts.map(({ drill, steps, seconds }) => [drill, String(steps), seconds.toFixed(1)])
  const table = [['situation', 'steps', 'seconds'], ...rows]
  const width = Math.max(...table.map(([name = '']) => name.length))
  return table
    .map(
      ([name = '', steps = '', seconds = '']) => name.padEnd(width) + steps.padStart(7) + seconds.padStart(9),
    )
    .join('\n')
}
