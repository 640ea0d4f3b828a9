"""The emulator, with what CloudFormation makes and it does not know: that is made in name only."""

import sys

from ministack.app import main
from ministack.services.cloudformation import provisioners

resources = provisioners._RESOURCE_HANDLERS


def create_in_name(logical_id, properties, stack_name):
    name = properties.get("AlarmName", f"{stack_name}-{logical_id}")
    return name, {"Arn": f"arn:aws:cloudwatch:us-east-1:000000000000:alarm:{name}"}


in_name_only = {
    "create": create_in_name,
    "update": lambda physical_id, *rest: (physical_id, {}),
    "delete": lambda physical_id, properties: None,
}

# Saved queries.
resources["AWS::Logs::QueryDefinition"] = in_name_only

# Alarms on metric math. None of them ever becomes one on a single metric.
alarm = resources["AWS::CloudWatch::Alarm"]


def alarm_handler(task):
    def handle(*arguments):
        is_math = any(isinstance(each, dict) and "Metrics" in each for each in arguments)
        return (in_name_only if is_math else alarm)[task](*arguments)

    return handle


resources["AWS::CloudWatch::Alarm"] = {**alarm, **{task: alarm_handler(task) for task in in_name_only}}

sys.exit(main())
