export const exitCodes = {
  ok: { code: 0, meaning: 'The command succeeded and found no problem' },
  problem: { code: 1, meaning: 'The command failed, found a problem, or was declined at its prompt' },
  usage: { code: 2, meaning: 'The command line or the configuration is invalid; nothing was done' },
  unknown: { code: 2, meaning: '`status --check` and `doctor`: something could not be checked' },
  interrupted: { code: 130, meaning: 'The command was interrupted by Ctrl-C, SIGTERM or SIGHUP' },
} as const
