"""Starts the emulator, which cannot import bucket policies and secrets itself: two of the kinds that Longshore retains."""

from ministack.app import main
from ministack.services import s3, secretsmanager
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
main()
