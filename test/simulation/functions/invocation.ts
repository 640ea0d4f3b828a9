import type { Scenario } from '../scenario.ts'
import type { Surroundings } from '../surroundings.ts'

export type Outcome<T> = { readonly value: T } | { readonly error: unknown }

/** What the caller of a function receives. */
export type Invoked<T> = { readonly response: T } | { readonly crash: string }

/** The error of an injected fault, which distinguishes it from a bug of the worker. */
export class InjectedFault extends Error {
  override readonly name = 'InjectedFault'
  /** A real stack depends on what the engine has inlined, so two replays of a seed would differ. */
  override readonly stack = 'InjectedFault'
}

/** True if the error, or the conflict that S3 reported until the end of all repeats, was injected. */
export const isInjected = (error: unknown): boolean =>
  error instanceof InjectedFault || (error instanceof Error && error.name === 'ConditionalRequestConflict')

/** Functions, and how the names of their invocations begin. */
const prefixes = {
  worker: 'w',
  publisher: 'p',
  compare: 'c',
  erase: 'e',
  tables: 't',
  api: 'api',
  operator: 'o',
} as const
export type FunctionKind = keyof typeof prefixes

/** Lambda ends every invocation at its time limit. */
export const lambdaLimitMs = 900_000

/**
 * One invocation of a function: a process with its own clock that can freeze for some time or crash between any two of
 * its steps. Everything that it awaits from the outside goes through `outside`.
 */
export class Invocation {
  readonly id: string
  /** Has the role of its function. */
  readonly by: FunctionKind
  readonly startedAt: number
  readonly killedAt: number
  /** True if it was frozen: what it knows may be stale. */
  wasFrozen = false
  alive = true
  /** True if it crashed while a write was on its way, which takes effect later. */
  writesLate = false
  /** The configuration that its function was deployed with when it began. */
  readonly deployed: Scenario
  /** Called when it crashes before its end. */
  onCrash: () => void = () => {}
  readonly #sim: Surroundings
  #offsetMs: number
  #frozenUntil = 0

  constructor(sim: Surroundings, by: FunctionKind, limitMs = lambdaLimitMs) {
    const { chance, scheduler, scenario } = sim
    this.#sim = sim
    this.deployed = scenario
    this.by = by
    this.id = `${prefixes[by]}${sim.serial()}`
    this.startedAt = scheduler.now()
    this.killedAt = this.startedAt + limitMs
    const { skewMs } = scenario.workers
    this.#offsetMs = skewMs && chance.integer(-skewMs, skewMs)
    scheduler.after(limitMs, () => this.crash('time limit'))
  }

  /** Its own clock. */
  readonly now = (): number => this.#sim.scheduler.now() + this.#offsetMs

  crash(why: string): void {
    if (!this.alive) return
    this.alive = false
    this.#sim.trace(() => `${this.id} crashes: ${why}`)
    this.onCrash()
  }

  /** Called when it has returned: nothing of it continues. */
  end(): void {
    this.alive = false
  }

  /** Makes a call to the outside. `begin` must settle it later, by an event. Faults on the way are random. */
  outside<T>(label: string, begin: (settle: (outcome: Outcome<T>) => void) => void): Promise<T> {
    const { chance, scheduler } = this.#sim
    return new Promise<T>((resolve, reject) => {
      const settle = (outcome: Outcome<T>): void => {
        this.whenAwake(() => {
          this.#maybeJump()
          if ('error' in outcome) reject(outcome.error as Error)
          else resolve(outcome.value)
        })
      }
      const strike = this.#strike(label)
      if (strike === 'crash-unsent') return this.#struck(label, strike)
      if (strike === 'crash-sent') {
        begin(() => {})
        return this.#struck(label, strike)
      }
      if (strike === 'crash-late') {
        this.writesLate = true
        scheduler.after(chance.delayMs(1, 90_000), () => begin(() => {}))
        return this.#struck(label, strike)
      }
      if (strike === 'freeze-before') this.#freeze(label)
      this.whenAwake(() => begin(settle))
      if (strike === 'freeze-after') this.#freeze(label)
    })
  }

  /** Runs the next step of the process: later if it is frozen, never if it has crashed. */
  whenAwake(action: () => void): void {
    const { scheduler } = this.#sim
    if (!this.alive) return
    const leftMs = this.#frozenUntil - scheduler.now()
    if (leftMs > 0) scheduler.after(leftMs, () => this.whenAwake(action))
    else action()
  }

  #strike(
    label: string,
  ): 'crash-unsent' | 'crash-sent' | 'crash-late' | 'freeze-before' | 'freeze-after' | undefined {
    const { chance, scenario } = this.#sim
    const { crash, freeze, target } = scenario.workers
    const aimed = target?.label === label && chance.happens(target.strike)
    if (!aimed && !chance.happens(crash + freeze)) return undefined
    const crashes = aimed ? chance.happens(0.5) : chance.happens(crash / (crash + freeze))
    return crashes
      ? chance.pick(['crash-unsent', 'crash-sent', 'crash-late'] as const)
      : chance.pick(['freeze-before', 'freeze-after'] as const)
  }

  #struck(label: string, strike: string): void {
    this.#sim.count('worker crashed')
    this.crash(`${strike} at ${label}`)
  }

  #freeze(label: string): void {
    const { chance, scheduler } = this.#sim
    const forMs = chance.happens(0.5) ? chance.integer(1_000, 60_000) : chance.integer(60_000, 840_000)
    this.wasFrozen = true
    this.#frozenUntil = Math.max(this.#frozenUntil, scheduler.now() + forMs)
    this.#sim.count('worker frozen')
    this.#sim.trace(() => `${this.id} is frozen for ${forMs / 1000} s at ${label}`)
  }

  #maybeJump(): void {
    const { chance, scenario } = this.#sim
    if (!chance.happens(scenario.workers.clockJump)) return
    const { maxJumpMs } = scenario.workers
    const jumpMs = chance.pick([chance.integer(-30_000, 30_000), chance.integer(-maxJumpMs, maxJumpMs)])
    this.#offsetMs += jumpMs
    this.#sim.count('clock jumped')
    this.#sim.trace(() => `${this.id}: its clock jumps by ${jumpMs / 1000} s`)
  }
}

/** Rejects when the invocation crashes, after `onCrash`. */
export function crashOf(invocation: Invocation, onCrash: () => void): Promise<never> {
  const crash = new Promise<never>((_, reject) => {
    invocation.onCrash = () => {
      onCrash()
      reject(new InjectedFault('crash'))
    }
  })
  crash.catch(() => undefined)
  return crash
}
