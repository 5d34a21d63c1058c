"""Reads clouds as every OpenStack client does, by openstacksdk and keystoneauth.

Standard input: a JSON list of cases {"clouds", "secure", "environment", "name"}; the first two are texts of files, or null.
Standard output: for each {"auth_url", "request", "region", "interface", "verify", "cacert"}, where "request" is what is sent
to log in, or {"error"}.
"""
import json
import os
import sys
import tempfile

import keystoneauth1.session
import openstack.config
import requests


class Caught(Exception):
    """What would have been sent."""


class Session(requests.Session):
    """Sends nothing: says that the identity service speaks version 3, and keeps what is sent to log in."""

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
            except Exception as error:  # Whatever it refuses, in whatever way.
                answers.append({'error': f'{type(error).__name__}: {error}'})
    json.dump(answers, sys.stdout)


main()
