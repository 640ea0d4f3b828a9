/** Epoch milliseconds of `20261121T120000000Z-0123456789ab`. */
export function timeOfRunId(id: string): number {
  const [, date, hour, minute, second, ms] = /^(\d{8})T(\d\d)(\d\d)(\d\d)(\d{3})Z/.exec(id) ?? []
  const day = `${date?.slice(0, 4)}-${date?.slice(4, 6)}-${date?.slice(6, 8)}`
  return Date.parse(`${day}T${hour}:${minute}:${second}.${ms}Z`)
}
