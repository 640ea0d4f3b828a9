/** What the exit code tells a script. */
export const exitCodes = {
  ok: { code: 0, meaning: 'done, and nothing is wrong' },
  problem: { code: 1, meaning: 'it failed, or it found a problem' },
  usage: { code: 2, meaning: 'the command line or the configuration cannot be used; nothing was done' },
  interrupted: { code: 130, meaning: 'ended by Ctrl-C or a kind kill' },
} as const
