package io.github.distlock.backend.zookeeper;

import java.time.Duration;

import io.github.distlock.LockBackendException;
import org.apache.zookeeper.KeeperException;

/**
 * Says what went wrong with ZooKeeper, where, and what to do about it.
 */
final class ZooKeeperFailures {

	private ZooKeeperFailures() {
	}

	static LockBackendException unreachable(String what, String servers, Duration waited, Throwable cause) {
		return new LockBackendException(
				"The " + what + " was not sent: there is no connection to ZooKeeper at " + servers
						+ ", and none came within " + waited + ". Check that the ensemble runs, has a leader and is"
						+ " reachable (distlock.zookeeper.connect-string, or the application's CuratorFramework)",
				cause);
	}

	static LockBackendException silent(String what, String servers, Duration waited) {
		return new LockBackendException("ZooKeeper at " + servers + " did not answer the " + what + " within " + waited
				+ ": check that the ensemble has a leader and that its disks are quick, or raise"
				+ " distlock.zookeeper.command-timeout");
	}

	static LockBackendException failed(String what, String servers, Throwable cause) {
		String remedy = ": check that the ensemble runs and has a leader";
		if (cause instanceof KeeperException.NoAuthException || cause instanceof KeeperException.InvalidACLException) {
			remedy = ": give the client the right to create, read and delete below the root of the locks"
					+ " (distlock.zookeeper.root), by the authorization and the ACL provider of the application's"
					+ " CuratorFramework";
		}
		else if (cause instanceof KeeperException.SessionExpiredException) {
			remedy = ": the session has ended, and a new one is made. Were the ensemble or this process halted for"
					+ " longer than the session timeout?";
		}
		return new LockBackendException(
				"ZooKeeper at " + servers + " failed the " + what + " (" + cause.getMessage() + ")" + remedy, cause);
	}

}
