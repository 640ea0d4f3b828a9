import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Lets the CDK CLI copy these templates, by stack, in place of synthesizing the checkout, which takes many seconds.
 * `folder` does not exist yet.
 */
export function prepareApp(folder: string, templates: Readonly<Record<string, object>>) {
  const assembly = join(folder, 'assembly')
  const context = join(folder, 'context.json')
  mkdirSync(assembly, { recursive: true })
  const artifacts = Object.keys(templates).map((name) => [
    name,
    {
      type: 'aws:cloudformation:stack',
      environment: 'aws://unknown-account/unknown-region',
      properties: { templateFile: `${name}.template.json` },
    },
  ])
  const manifest = { version: '36.0.0', artifacts: Object.fromEntries(artifacts) }
  writeFileSync(join(assembly, 'manifest.json'), JSON.stringify(manifest))
  for (const [name, template] of Object.entries(templates))
    writeFileSync(join(assembly, `${name}.template.json`), JSON.stringify(template))
  return {
    environment: {
      CDK_BUILD: 'true',
      CDK_APP: `cp "${assembly}"/* "$CDK_OUTDIR" && printenv CDK_CONTEXT_JSON > "${context}"`,
    },
    /** What the last synthesis passed to the app. */
    context: (): Record<string, unknown> => JSON.parse(readFileSync(context, 'utf8')),
  }
}
