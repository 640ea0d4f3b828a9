/**
 * List prices of us-east-1 in US dollars, without free tiers, as known in early 2026. They are not checked against the
 * price list. Check them before you rely on them.
 */
export const prices = {
  lambdaRequest: 0.2 / 1e6,
  /** arm64, the first price step. */
  lambdaGigabyteSecond: 0.0000133334,
  httpApiRequest: 1 / 1e6,
  dynamoDbWriteUnit: 0.625 / 1e6,
  dynamoDbReadUnit: 0.125 / 1e6,
  /** Per month. */
  dynamoDbGigabyte: 0.25,
  /** Point-in-time recovery, per month. */
  dynamoDbBackupGigabyte: 0.2,
  /** S3 Standard, the first 50 TB, per month. */
  s3Gigabyte: 0.023,
  /** Also of a listing. */
  s3Put: 0.005 / 1e3,
  s3Get: 0.0004 / 1e3,
  stepFunctionsTransition: 0.025 / 1e3,
  secretRead: 0.05 / 1e4,
  event: 1 / 1e6,
  logGigabyte: 0.5,
  alarm: 0.1,
  metric: 0.3,
  secret: 0.4,
} as const
