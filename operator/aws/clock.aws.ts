import type { CloudFormationClient } from '@aws-sdk/client-cloudformation'

/**
 * A clock that follows AWS: the local clock, corrected by the `Date` header of the client's last response, which is
 * exact to the second.
 */
export function responseClock(client: CloudFormationClient): () => number {
  let offsetMs = 0
  client.middlewareStack.add(
    (next) => async (request) => {
      const result = await next(request)
      const { headers } = result.response as { headers?: Record<string, string> }
      const serverTime = Date.parse(headers?.['date'] ?? '')
      if (!Number.isNaN(serverTime)) offsetMs = serverTime - Date.now()
      return result
    },
    { step: 'deserialize', name: 'responseClock', priority: 'low' },
  )
  return () => Date.now() + offsetMs
}
