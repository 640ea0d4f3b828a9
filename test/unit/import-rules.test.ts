import { describe, expect, it } from 'vitest'
import { checkImports } from '../imports/check-imports.ts'
import { allowedImports, matches } from '../imports/import-rules.ts'

describe('the import rules', () => {
  it('let no layer import one that is listed after it', () => {
    const layers = allowedImports.map(([from]) => from)
    const layerOf = (name: string) =>
      Math.max(
        layers.findLastIndex((layer) => matches(layer, name)),
        layers.findIndex((layer) => matches(name, layer)),
      )
    const upwards = allowedImports.flatMap(([from, to], layer) =>
      to.filter((name) => layerOf(name) > layer).map((name) => `${from} may import ${name}`),
    )
    expect(upwards).toEqual([])
  })

  it.each([
    ['functions/upstream/a.ts', '../proxy/proxy.ts', 'a folder below it'],
    ['stored/a.ts', '../documents/split.ts', 'a shared folder below it'],
    ['stored/partitions/a.ts', '../../functions/worker/step.ts', 'the worker'],
    ['functions/proxy/a.ts', '../worker/step.ts', 'another function'],
    ['functions/compare/a.ts', '../worker/page/store.ts', 'the worker'],
    ['functions/sync-api/a.ts', '../worker/context.ts', 'the worker'],
    ['functions/publisher/a.ts', '../worker/page/prepare.ts', 'the worker'],
    ['functions/publisher/a.ts', '../upstream/exchange.ts', 'the HTTP client'],
    ['functions/publisher/check/a.ts', '../../../stored/documents/split.ts', 'the split that it checks'],
    ['functions/publisher/check/a.ts', '../../../stored/partitions/ranges.ts', 'the filters that it checks'],
    ['functions/look/a.ts', '../worker/context.ts', 'the worker'],
    ['functions/runtime/a.ts', '../http/lambda-functions.ts', 'the list of functions'],
    ['functions/proxy/a.ts', '../../lib/config.ts', 'infrastructure'],
    ['functions/http/a.ts', '../../local/lambda.ts', 'local mode'],
    ['functions/http/a.ts', '../../cli/main.ts', 'the command line'],
    ['functions/http/a.ts', '../../test/processes.ts', 'tests'],
    ['lib/a.ts', '../functions/proxy/proxy.ts', 'code of a function'],
    ['lib/a.ts', '../stored/sync-state.ts', 'a store of the functions'],
    ['cli/commands/a.ts', '../../functions/worker/handler.ts', 'the worker'],
    ['local/a.ts', '../functions/worker/handler.ts', 'the worker'],
    ['bin/a.ts', '../test/processes.ts', 'tests'],
    ['functions/http/a.ts', '../../console/contract/api.ts', 'the console'],
    ['lib/a.ts', '../console/contract/api.ts', 'the console'],
    ['console/client/a.tsx', '../server/console.ts', 'its server'],
    ['console/client/model/format.ts', '../../../operator/errors.ts', 'the library, except its formats'],
    ['console/server/a.ts', '../../functions/worker/step.ts', 'the worker'],
    ['console/server/a.ts', '../../local/bundle.ts', 'local mode'],
    ['operator/a.ts', '../cli/shell/terminal.ts', 'the command line'],
    ['operator/a.ts', '../console/contract/api.ts', 'the console'],
    ['operator/a.ts', '../lib/stacks.ts', 'stacks'],
    ['console/server/a.ts', '../../cli/shell/terminal.ts', 'the command line'],
    ['local/a.ts', '../cli/shell/terminal.ts', 'the command line'],
    ['cli/a.ts', '../local/bundle.ts', 'local mode'],
    ['scripts/a.ts', '../test/processes.ts', 'tests'],
    ['test/a.ts', '../bench/report.ts', 'benchmarks'],
    ['functions/http/a.ts', '../../operator/errors.ts', 'what operators do'],
    ['undeclared/a.ts', '../lib/config.ts', 'anything, without an entry in the table'],
  ])('stop %s from importing %s: %s', (path, name) => {
    const violations = [expect.stringContaining(`${path} must not import `) as string]
    for (const source of [
      `import { a } from '${name}'`,
      `import type { A } from '${name}'`,
      `export { a } from '${name}'`,
      `export * from '${name}'`,
      `export const a = () => import('${name}')`,
      `export type A = import('${name}').A`,
    ])
      expect(checkImports({ [path]: source })).toEqual(violations)
  })

  it.each([
    ['functions/proxy/a.ts', '../upstream/client.ts'],
    ['functions/openapi/a.ts', '../http/sync-routes.ts'],
    ['lib/stacks/a.ts', '../../functions/runtime/settings.ts'],
    ['bench/a.ts', '../functions/worker/step.ts'],
    ['functions/worker/lifecycle/a.ts', '../step.ts'],
    ['cli/commands/a.ts', '../../stored/partitions/plan.ts'],
    ['console/client/model/format.ts', '../../../functions/runtime/format.ts'],
  ])('let %s import %s', (path, name) => {
    expect(checkImports({ [path]: `import { a } from '${name}'` })).toEqual([])
  })

  it('keep the AWS SDK in *.aws.ts files', () => {
    const source = "import { S3Client } from '@aws-sdk/client-s3'"
    expect(checkImports({ 'stored/a.ts': source })).toEqual([
      'stored/a.ts must not import @aws-sdk/client-s3: only *.aws.ts files do',
    ])
    expect(checkImports({ 'stored/a.aws.ts': source, 'test/a.ts': source })).toEqual([])
  })

  it('reject a *.aws.ts file that does not import the AWS SDK', () => {
    expect(checkImports({ 'cli/aws/a.aws.ts': 'export const a = 1' })).toEqual([
      'cli/aws/a.aws.ts imports no AWS package: remove .aws from its name',
    ])
  })

  it.each([
    ["import { b } from './b.ts'", "import { a } from './a.ts'"],
    ["import type { B } from './b.ts'", "import type { A } from './a.ts'"],
    ["export const b = () => import('./b.ts')", "export * from './a.ts'"],
  ])('find an import cycle: %s, %s', (a, b) => {
    expect(checkImports({ 'cli/a.ts': a, 'cli/b.ts': b, 'cli/c.ts': "import './a.ts'" })).toEqual([
      'import cycle: cli/a.ts, cli/b.ts',
    ])
  })

  it('find an import cycle of three files', () => {
    const sources = {
      'lib/a.ts': "import './b.ts'",
      'lib/b.ts': "import './c.ts'",
      'lib/c.ts': "import './a.ts'",
    }
    expect(checkImports(sources)).toEqual(['import cycle: lib/a.ts, lib/b.ts, lib/c.ts'])
  })

  it('reject an import from a folder that is above it inside the same folder', () => {
    const sources = {
      'stored/run/a.ts': "import '../claim/b.ts'",
      'stored/claim/b.ts': "import '../run/c.ts'",
      'stored/run/c.ts': '',
    }
    expect(checkImports(sources)).toEqual([
      'stored/run/a.ts must not import stored/claim/b.ts: its folder is above it',
      'import cycle: stored/claim, stored/run',
    ])
  })

  it('find a circle of folders that passes a file beside them, although no files form one', () => {
    const sources = {
      'operator/aws/a.ts': "import '../operation.ts'",
      'operator/operation.ts': "import './sync/b.ts'",
      'operator/sync/b.ts': "import '../aws/c.ts'",
      'operator/aws/c.ts': '',
    }
    expect(checkImports(sources)).toEqual([
      'import cycle: operator/aws, operator/operation.ts, operator/sync',
    ])
  })

  it('reject a folder that the order does not name', () => {
    expect(checkImports({ 'stored/new/a.ts': '' })).toEqual([
      'stored/new/a.ts is in a folder that has no place in the order of stored/',
    ])
  })
})
