import { pause, type Sleep } from '../operator/waiting.ts'

/** A command that asks again does so at once. */
export const noPause: Sleep = async () => undefined

/** A tenth of what a command waits, for one that waits for a server. */
export const shortPause: Sleep = (ms, signal) => pause(ms / 10, signal)
