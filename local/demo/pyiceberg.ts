import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** What PyIceberg reads of a table. */
export type ReadByPyIceberg =
  | { readonly kind: 'rows'; readonly rows: readonly string[] }
  | { readonly kind: 'not-installed' }
  | { readonly kind: 'failed'; readonly reason: string }

const maxReaderMs = 60_000
/** The exit code of the program if PyIceberg cannot be imported. */
const notInstalled = 3

/** Reads the first rows of the table whose metadata has this address. The environment leads to S3. */
export async function readWithPyIceberg(
  python: string,
  metadata: string,
  environment: NodeJS.ProcessEnv,
): Promise<ReadByPyIceberg> {
  try {
    const { stdout } = await promisify(execFile)(python, ['-c', reader, metadata], {
      env: environment,
      timeout: maxReaderMs,
    })
    return { kind: 'rows', rows: stdout.trimEnd().split('\n') }
  } catch (error) {
    const { code, killed, stderr = '' } = error as { code?: unknown; killed?: boolean; stderr?: string }
    if (code === notInstalled || code === 'ENOENT') return { kind: 'not-installed' }
    const lastLine = stderr.trimEnd().split('\n').at(-1)
    const reason = killed ? `No rows within ${maxReaderMs / 1000} seconds.` : lastLine || String(error)
    return { kind: 'failed', reason }
  }
}

const reader = `
import os, sys

try:
    import pyarrow
    from pyiceberg.table import StaticTable
except ImportError:
    sys.exit(${notInstalled})

table = StaticTable.from_metadata(sys.argv[1], {
    "s3.endpoint": os.environ["AWS_ENDPOINT_URL_S3"],
    "s3.region": os.environ["AWS_REGION"],
    "s3.access-key-id": os.environ["AWS_ACCESS_KEY_ID"],
    "s3.secret-access-key": os.environ["AWS_SECRET_ACCESS_KEY"],
})
for row in table.scan(limit=3).to_arrow().to_pylist():
    print({name: str(value) for name, value in row.items()})
`
