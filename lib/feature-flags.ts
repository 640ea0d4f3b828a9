/** CDK's feature flags that the stacks are written for. `cdk.json` has the same. */
export const featureFlags = {
  '@aws-cdk/core:defaultCrossStackReferences': 'strong',
  '@aws-cdk/aws-s3:serverAccessLogsUseBucketPolicy': true,
}
