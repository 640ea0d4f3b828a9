import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'

/** True if a conditional write to DynamoDB was made, false if its condition did not hold. */
export async function holds(write: Promise<unknown>): Promise<boolean> {
  try {
    await write
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
}
