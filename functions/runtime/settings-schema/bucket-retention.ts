/** How long the bucket's access log is kept: as long as the log groups, and long enough for an investigation. */
export const accessLogDays = (logRetentionDays: number) => Math.max(90, logRetentionDays)

/** How long S3 keeps a version of an object after it was deleted or overwritten. */
export const oldVersionDays = 7
