import { afterAll, beforeAll, vi } from 'vitest'
import { awsEnvironment } from '../local/embedded/environment.ts'
import { startS3 } from '../local/embedded/s3.ts'

/** An embedded S3 with one bucket for the tests of a file. The AWS clients of this process use it. */
export function useBucket(bucket: string): void {
  let served: Awaited<ReturnType<typeof startS3>>
  beforeAll(async () => {
    served = await startS3({ bucket })
    for (const [name, value] of Object.entries(awsEnvironment({ s3: served.endpoint })))
      vi.stubEnv(name, value)
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await served.close()
  })
}
