import { callSigned } from '../aws/signed-call.aws.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { type Checked, note } from './finding.ts'
import { apiCalls, apiCheck } from './live-checks.ts'

/** Calls the API as a client does. */
export async function checkApi(
  { apiUrl, configuration: { auth, domain } }: Pick<Deployment, 'apiUrl' | 'configuration'>,
  entity: string,
): Promise<Checked[]> {
  if (domain?.mutualTls)
    return [
      note(
        'api',
        'The API was not called, because callers need a client certificate. Call it with one: docs/configuration.md, "Domain".',
      ),
    ]
  const checks = apiCalls(auth.type, entity).map(async (call) => {
    const url = new URL(apiUrl.replace(/\/$/, '') + call.path)
    const service = call.isSigned ? 'execute-api' : undefined
    return apiCheck(call, await callSigned({ method: 'GET', url, service }))
  })
  const withToken = note('api', 'Calls with a token were not checked. See docs/api.md.')
  return [...(await Promise.all(checks)), ...(auth.type === 'jwt' ? [withToken] : [])]
}
