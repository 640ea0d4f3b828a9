/** The region that the CDK deploys to, if known. Without credentials and region it passes us-east-1 to the app. */
export function deploymentRegion(variables: NodeJS.ProcessEnv): string | undefined {
  const { AWS_REGION, AWS_DEFAULT_REGION, CDK_DEFAULT_ACCOUNT, CDK_DEFAULT_REGION } = variables
  return CDK_DEFAULT_ACCOUNT || AWS_REGION || AWS_DEFAULT_REGION ? CDK_DEFAULT_REGION || undefined : undefined
}

/** Whether the CDK's command line deploys to an emulator of AWS, whose account is all zeros. */
export const deploysToEmulator = ({ CDK_DEFAULT_ACCOUNT }: NodeJS.ProcessEnv): boolean =>
  CDK_DEFAULT_ACCOUNT === '000000000000'
