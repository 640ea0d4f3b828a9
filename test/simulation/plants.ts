import type { StepWorld } from '../../functions/sync/step.ts'
import type { Simulation } from './simulation.ts'

/** A mistake put into the worker from outside, to show that the oracle sees it. */
export interface Plant {
  /** Changes a command on its way to a store. */
  readonly command?: (command: { readonly input: object }) => { readonly input: object }
  readonly world?: (world: StepWorld, sim: Simulation) => StepWorld
}

export const plants: Readonly<Record<string, Plant>> = {}
