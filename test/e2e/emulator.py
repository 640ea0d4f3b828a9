"""Starts the emulator, and adds what it lacks: it imports bucket policies and secrets, two of the kinds that Longshore
retains, checks who may send a task token for the state machine of the token, sends the code of functions over TLS,
backs up a table that is deleted, and restores a table to an earlier second."""

import json
import threading

from ministack.app import main
from ministack.core import iam_actions
from ministack.services import dynamodb, lambda_svc, s3, secretsmanager, stepfunctions
from ministack.services.cloudformation import provisioners


def import_bucket_policy(identifier):
    bucket = identifier["Bucket"]
    if bucket not in s3._bucket_policies:
        raise ValueError(f"The bucket policy of {bucket} does not exist")
    return f"{bucket}-policy", {}


def import_secret(identifier):
    arn = identifier["Id"]
    for name, secret in secretsmanager._secrets.items():
        if secret["ARN"] == arn:
            return name, {"Id": arn, "Arn": arn}
    raise ValueError(f"The secret {arn} does not exist")


provisioners._RESOURCE_HANDLERS["AWS::S3::BucketPolicy"]["import"] = import_bucket_policy
provisioners._RESOURCE_HANDLERS["AWS::SecretsManager::Secret"]["import"] = import_secret

code_url = lambda_svc._presigned_code_url
lambda_svc._presigned_code_url = lambda name: code_url(name).replace("http://localhost:", "https://127.0.0.1:")

delete_table = dynamodb._delete_table


def delete_table_with_backup(data):
    _, _, body = dynamodb._create_backup({"TableName": data["TableName"], "BackupName": f"{data['TableName']}$DeletedTableBackup"})
    status, headers, deleted = delete_table(data)
    arn = json.loads(body).get("BackupDetails", {}).get("BackupArn")
    if status == 200:
        dynamodb._backups[arn]["BackupDetails"]["BackupType"] = "SYSTEM"
    elif arn:
        dynamodb._backups.pop(arn)
    return status, headers, deleted


def restore_to_second(data):
    """The emulator would restore the table as it is now. This restores the last backup before the second."""
    _, arn = max(
        (details["BackupCreationDateTime"], arn)
        for arn, backup in dynamodb._backups.items()
        for details in [backup["BackupDetails"]]
        if backup["SourceTableDetails"]["TableName"] == data["SourceTableName"]
        and details["BackupCreationDateTime"] <= data["RestoreDateTime"]
    )
    return dynamodb._restore_table_from_backup({"TargetTableName": data["TargetTableName"], "BackupArn": arn})


dynamodb._delete_table = delete_table_with_backup
dynamodb._restore_table_to_point_in_time = restore_to_second

# The state machine of each token, and that of the task which this thread executes.
machines = {}
executing = threading.local()
execute_task = stepfunctions._execute_task
invoke_with_callback = stepfunctions._invoke_with_callback
extract_resource_arn = iam_actions.extract_resource_arn


def execute_task_of_machine(state_def, raw_input, execution, ctx):
    executing.machine = ctx["StateMachine"]["Id"]
    return execute_task(state_def, raw_input, execution, ctx)


def remember_machine(resource, input_data, token, state_def):
    machines[token] = executing.machine
    return invoke_with_callback(resource, input_data, token, state_def)


def resource_arn_with_tokens(service, method, path, headers, body, *rest):
    if service == "states" and b"taskToken" in body:
        return machines.get(json.loads(body)["taskToken"], "*")
    return extract_resource_arn(service, method, path, headers, body, *rest)


stepfunctions._execute_task = execute_task_of_machine
stepfunctions._invoke_with_callback = remember_machine
iam_actions.extract_resource_arn = resource_arn_with_tokens
main()
