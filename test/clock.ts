import { putAhead } from '../local/clock/put-ahead.ts'

/** In milliseconds: how far the clocks of processes that preload moved-clock.ts are ahead of the machine's. */
const variable = 'LONGSHORE_TEST_CLOCK_AHEAD'
const preload = `--import=${new URL('moved-clock.ts', import.meta.url).href}`

/** Of this process, as its environment states it. */
export const aheadMs = (): number => Number(process.env[variable] ?? 0)

/** The environment of a process whose clock is ahead of that of this process. */
export function clockEnvironment(moreMs: number) {
  const options = process.env['NODE_OPTIONS']
  return {
    [variable]: String(aheadMs() + moreMs),
    NODE_OPTIONS: options === undefined ? preload : `${options} ${preload}`,
  }
}

/** Lets this process, and those that it starts, continue from a time. Returns how to go back. */
export function moveClockTo(time: string): () => void {
  const ms = Date.parse(time) - Date.now()
  const environment = clockEnvironment(ms)
  const before = Object.keys(environment).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, environment)
  const goBack = moveClock(ms)
  return () => {
    goBack()
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}

/** Moves the clock of this process alone. */
export const moveClock = (ms: number): (() => void) => putAhead(() => ms)
