package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

import static io.github.distlock.backend.redlock.RedlockParticipant.LEASE;
import static io.github.distlock.backend.redlock.RedlockParticipant.TIMEOUT;

/**
 * Five masters, and one JVM whose connections to them fail as a test requests.
 */
abstract class FiveNodes {

	static RedlockCluster cluster;

	List<DelegatingNode> nodes;

	RedlockParticipant one;

	@BeforeAll
	static void startServers() {
		cluster = RedlockCluster.start(5, Duration.ZERO);
	}

	@AfterAll
	static void stopServers() {
		cluster.close();
	}

	@BeforeEach
	void start() {
		cluster.flush();
		this.nodes = cluster.trusted(TIMEOUT);
		this.one = new RedlockParticipant(this.nodes, LEASE);
	}

	@AfterEach
	void stop() {
		this.one.close();
	}

}
