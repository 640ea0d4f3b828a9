import { describe, expect, it } from 'vitest'
import { parameterNames, pathPattern } from '../../../functions/http/path-template.ts'

describe("a route's path", () => {
  it.each([
    ['/syncs', []],
    ['/syncs/{entity}/runs/{runId}', ['entity', 'runId']],
    ['/{proxy+}', ['proxy']],
  ])('%s has the parameters %j', (template, names) => expect(parameterNames(template)).toEqual(names))

  it.each<[string, string, readonly string[]]>([
    ['/syncs', '/syncs', []],
    ['/syncs/{entity}', '/syncs/CL', ['CL']],
    ['/syncs/{entity}/runs/{runId}', '/syncs/CL/runs/a%2Fb', ['CL', 'a%2Fb']],
    ['/{proxy+}', '/a/b', ['a/b']],
    ['/openapi.json', '/openapi.json', []],
    ['/a(b)+c', '/a(b)+c', []],
  ])('%s matches %s', (template, path, values) => {
    expect(pathPattern(template).exec(path)?.slice(1)).toEqual(values)
  })

  it.each([
    ['/syncs', '/syncs/CL'],
    ['/syncs', '/x/syncs'],
    ['/syncs/{entity}', '/syncs/'],
    ['/syncs/{entity}', '/syncs/CL/runs'],
    ['/{proxy+}', '/'],
    ['/openapi.json', '/openapi-json'],
  ])('%s does not match %s', (template, path) => expect(pathPattern(template).test(path)).toBe(false))
})
