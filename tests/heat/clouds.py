"""Read the configuration of clouds as every OpenStack client does, with openstacksdk and keystoneauth.

Standard input: a JSON list of cases {"clouds", "secure", "environment", "name"}; the first two are texts of files, or null.
Standard output: a JSON list with {"auth_url", "request", "region", "interface", "verify", "cacert"} for each case, where
"request" is the body of the request to log in, or {"error"}.
"""
import json
import os
import sys
import tempfile

import keystoneauth1.session
import openstack.config
import requests


class Caught(Exception):
    """Carries the request that would have been sent."""


class Session(requests.Session):
    """Sends nothing: answers that the identity service supports version 3, and catches the request to log in."""

    def request(self, method, url, **arguments):
        if method == 'POST':
            raise Caught(url, arguments['data'])
        response = requests.Response()
        response.status_code = 200
        response.url = url
        root = url.rstrip('/').removesuffix('/v3')
        version = {'id': 'v3.14', 'status': 'stable', 'links': [{'rel': 'self', 'href': root + '/v3/'}]}
        response._content = json.dumps({'version': version}).encode()
        response.headers['Content-Type'] = 'application/json'
        return response


def read(case, folder):
    files = {}
    for name in ('clouds', 'secure'):
        if case.get(name) is not None:
            files[name] = os.path.join(folder, name + '.yaml')
            with open(files[name], 'w', encoding='utf-8') as file:
                file.write(case[name])
    os.environ.clear()
    os.environ.update(case['environment'], HOME=folder)
    config = openstack.config.OpenStackConfig(
        config_files=[files.get('clouds', os.path.join(folder, 'none.yaml'))],
        secure_files=[files.get('secure', os.path.join(folder, 'none.yaml'))],
        vendor_files=[os.path.join(folder, 'none.yaml')],
    )
    cloud = config.get_one(cloud=case.get('name'))
    verify, _ = cloud.get_requests_verify_args()
    auth = cloud.get_auth()
    session = keystoneauth1.session.Session(auth=auth, session=Session())
    try:
        auth.get_access(session)
    except Caught as caught:
        url, data = caught.args
    return {
        'auth_url': url.removesuffix('/v3/auth/tokens'),
        'request': json.loads(data),
        'region': cloud.region_name or None,
        'interface': cloud.get_interface(),
        'verify': bool(verify),
        'cacert': verify if isinstance(verify, str) else None,
    }


def main():
    answers = []
    for case in json.load(sys.stdin):
        with tempfile.TemporaryDirectory() as folder:
            try:
                answers.append(read(case, folder))
            except Exception as error:  # Any refusal, of any class.
                answers.append({'error': f'{type(error).__name__}: {error}'})
    json.dump(answers, sys.stdout)


main()
