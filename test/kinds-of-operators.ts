/** Kinds that only `doctor` finds, with an operator's permissions. No message reports them. */
export const kindsOfOperators = [
  'deployment',
  'encryption-key',
  'not-deployed',
  'upstream',
  'changes-without-snapshot',
  'schedule-missing',
  'schedule-changed',
  'schedule-not-deployed',
  'alerts',
  'drift',
] as const
