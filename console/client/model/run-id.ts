/** Epoch milliseconds of `20261121T120000000Z-0123456789ab`. */
export function timeOfRunId(runId: string): number {
  const [, year, month, day, hour, minute, second, ms] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z/.exec(runId) ?? []
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`)
}
