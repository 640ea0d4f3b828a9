import type { AttributeValue } from '@aws-sdk/client-dynamodb'

export type Item = Readonly<Record<string, AttributeValue>>

export interface ExpressionInput {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined
  readonly ExpressionAttributeValues?: Readonly<Record<string, AttributeValue>> | undefined
}

/** An expression that DynamoDB rejects with a ValidationException. */
export class InvalidExpression extends Error {
  override readonly name = 'InvalidExpression'
}

type Operand = (item: Item, input: ExpressionInput) => AttributeValue | undefined
type Condition = (item: Item, input: ExpressionInput) => boolean
type Path = (input: ExpressionInput) => string[]

const conditions = new Map<string, Condition>()
const updates = new Map<string, (item: Item, input: ExpressionInput) => Item>()

/** Evaluates a condition, key condition or filter expression on an item. An item that does not exist is empty. */
export function conditionHolds(expression: string, item: Item, input: ExpressionInput): boolean {
  let condition = conditions.get(expression)
  if (!condition) {
    const parser = new Parser(expression)
    condition = parser.condition()
    parser.expectEnd()
    conditions.set(expression, condition)
  }
  return condition(item, input)
}

/** The item after an update expression. */
export function updated(expression: string, item: Item, input: ExpressionInput): Item {
  let update = updates.get(expression)
  if (!update) {
    const parser = new Parser(expression)
    update = parser.update()
    parser.expectEnd()
    updates.set(expression, update)
  }
  return update(item, input)
}

const comparators: Readonly<Record<string, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
}

/** Recursive descent: OR binds less than AND, AND less than NOT. Keywords may have any case. */
class Parser {
  readonly #tokens: readonly string[]
  #at = 0

  constructor(expression: string) {
    this.#tokens = expression.match(/[#:]?[A-Za-z0-9_]+|<>|<=|>=|[=<>().,+-]|\S/g) ?? []
  }

  condition(): Condition {
    let left = this.#and()
    while (this.#takeWord('OR')) {
      const one = left
      const other = this.#and()
      left = (item, input) => one(item, input) || other(item, input)
    }
    return left
  }

  #and(): Condition {
    let left = this.#not()
    while (this.#takeWord('AND')) {
      const one = left
      const other = this.#not()
      left = (item, input) => one(item, input) && other(item, input)
    }
    return left
  }

  #not(): Condition {
    if (!this.#takeWord('NOT')) return this.#predicate()
    const inner = this.#not()
    return (item, input) => !inner(item, input)
  }

  #predicate(): Condition {
    if (this.#take('(')) {
      const inner = this.condition()
      this.#expect(')')
      return inner
    }
    const name = this.#tokens[this.#at]
    if (name === 'attribute_exists' || name === 'attribute_not_exists') {
      this.#at++
      this.#expect('(')
      const path = this.#path()
      this.#expect(')')
      const wanted = name === 'attribute_exists'
      return (item, input) => (at(item, path(input)) !== undefined) === wanted
    }
    if (name === 'begins_with') {
      this.#at++
      this.#expect('(')
      const whole = this.#operand()
      this.#expect(',')
      const start = this.#operand()
      this.#expect(')')
      return (item, input) => {
        const [text, prefix] = [whole(item, input)?.S, start(item, input)?.S]
        return text !== undefined && prefix !== undefined && text.startsWith(prefix)
      }
    }
    return this.#comparison()
  }

  #comparison(): Condition {
    const left = this.#operand()
    if (this.#takeWord('BETWEEN')) {
      const low = this.#operand()
      if (!this.#takeWord('AND')) throw this.#unexpected()
      const high = this.#operand()
      return (item, input) => {
        const value = left(item, input)
        return atMost(low(item, input), value) && atMost(value, high(item, input))
      }
    }
    if (this.#takeWord('IN')) {
      this.#expect('(')
      const choices = [this.#operand()]
      while (this.#take(',')) choices.push(this.#operand())
      this.#expect(')')
      return (item, input) => choices.some((choice) => equal(left(item, input), choice(item, input)))
    }
    const comparator = this.#tokens[this.#at++] ?? ''
    const right = this.#operand()
    if (comparator === '=') return (item, input) => equal(left(item, input), right(item, input))
    if (comparator === '<>') return (item, input) => !equal(left(item, input), right(item, input))
    const fits = comparators[comparator]
    if (!fits) throw this.#unexpected()
    return (item, input) => {
      const order = compare(left(item, input), right(item, input))
      return order !== undefined && fits(order)
    }
  }

  update(): (item: Item, input: ExpressionInput) => Item {
    const changes: ((old: Item, next: Record<string, AttributeValue>, input: ExpressionInput) => void)[] = []
    while (this.#at < this.#tokens.length) {
      if (this.#takeWord('SET')) {
        do {
          const path = this.#path()
          this.#expect('=')
          const value = this.#sum()
          changes.push((old, next, input) => put(next, path(input), value(old, input)))
        } while (this.#take(','))
      } else if (this.#takeWord('REMOVE')) {
        do {
          const path = this.#path()
          changes.push((_, next, input) => remove(next, path(input)))
        } while (this.#take(','))
      } else if (this.#takeWord('ADD')) {
        do {
          const path = this.#path()
          const value = this.#operand()
          changes.push((old, next, input) =>
            put(next, path(input), added(at(old, path(input)) ?? { N: '0' }, value(old, input), 1)),
          )
        } while (this.#take(','))
      } else throw this.#unexpected()
    }
    return (item, input) => {
      const next = structuredClone(item) as Record<string, AttributeValue>
      for (const change of changes) change(item, next, input)
      return next
    }
  }

  #sum(): Operand {
    const left = this.#operand()
    const sign = this.#take('+') ? 1 : this.#take('-') ? -1 : 0
    if (sign === 0) return left
    const right = this.#operand()
    return (item, input) => added(left(item, input), right(item, input), sign)
  }

  #operand(): Operand {
    const token = this.#tokens[this.#at]
    if (token?.startsWith(':')) {
      this.#at++
      return (_, input) => {
        const value = input.ExpressionAttributeValues?.[token]
        if (value === undefined) throw new InvalidExpression(`${token} is not defined`)
        return value
      }
    }
    if (token === 'if_not_exists') {
      this.#at++
      this.#expect('(')
      const path = this.#path()
      this.#expect(',')
      const fallback = this.#operand()
      this.#expect(')')
      return (item, input) => at(item, path(input)) ?? fallback(item, input)
    }
    const path = this.#path()
    return (item, input) => at(item, path(input))
  }

  #path(): Path {
    const names = [this.#name()]
    while (this.#take('.')) names.push(this.#name())
    return (input) =>
      names.map((name) => {
        if (!name.startsWith('#')) return name
        const known = input.ExpressionAttributeNames?.[name]
        if (known === undefined) throw new InvalidExpression(`${name} is not defined`)
        return known
      })
  }

  #name(): string {
    const token = this.#tokens[this.#at]
    if (!token || !/^#?[A-Za-z_][A-Za-z0-9_]*$/.test(token)) throw this.#unexpected()
    this.#at++
    return token
  }

  expectEnd(): void {
    if (this.#at < this.#tokens.length) throw this.#unexpected()
  }

  #take(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false
    this.#at++
    return true
  }

  #takeWord(word: string): boolean {
    if (this.#tokens[this.#at]?.toUpperCase() !== word) return false
    this.#at++
    return true
  }

  #expect(token: string): void {
    if (!this.#take(token)) throw this.#unexpected()
  }

  #unexpected(): InvalidExpression {
    return new InvalidExpression(`unexpected ${this.#tokens[this.#at] ?? 'end'} at token ${this.#at}`)
  }
}

function at(item: Item, path: readonly string[]): AttributeValue | undefined {
  let value: AttributeValue | undefined
  let map: Item | undefined = item
  for (const name of path) {
    value = map?.[name]
    map = value?.M
  }
  return value
}

function put(item: Record<string, AttributeValue>, path: readonly string[], value?: AttributeValue): void {
  const map = parentOf(item, path)
  if (!map || value === undefined) throw new InvalidExpression(`the path ${path.join('.')} is not there`)
  map[path[path.length - 1] as string] = value
}

function remove(item: Record<string, AttributeValue>, path: readonly string[]): void {
  const map = parentOf(item, path)
  if (map) delete map[path[path.length - 1] as string]
}

function parentOf(item: Record<string, AttributeValue>, path: readonly string[]) {
  return path.length === 1 ? item : at(item, path.slice(0, -1))?.M
}

function added(left: AttributeValue | undefined, right: AttributeValue | undefined, sign: number) {
  if (left?.N === undefined || right?.N === undefined) throw new InvalidExpression('not a number')
  return { N: String(Number(left.N) + sign * Number(right.N)) }
}

function equal(left: AttributeValue | undefined, right: AttributeValue | undefined): boolean {
  if (left === undefined || right === undefined) return false
  if (left.N !== undefined && right.N !== undefined) return Number(left.N) === Number(right.N)
  return JSON.stringify(left) === JSON.stringify(right)
}

/** Undefined for values of different types and for attributes that do not exist. */
function compare(left: AttributeValue | undefined, right: AttributeValue | undefined): number | undefined {
  if (left?.N !== undefined && right?.N !== undefined) return Math.sign(Number(left.N) - Number(right.N))
  if (left?.S !== undefined && right?.S !== undefined)
    return Buffer.compare(Buffer.from(left.S), Buffer.from(right.S))
  return undefined
}

function atMost(left: AttributeValue | undefined, right: AttributeValue | undefined): boolean {
  const order = compare(left, right)
  return order !== undefined && order <= 0
}
