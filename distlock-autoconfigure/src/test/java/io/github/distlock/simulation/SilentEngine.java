package io.github.distlock.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.slf4j.LoggerFactory;

/** Tests whose engines log nothing. */
interface SilentEngine {

	Logger LOGGER = (Logger) LoggerFactory.getLogger("io.github.distlock");

	@BeforeAll
	static void logNothing() {
		LOGGER.setLevel(Level.OFF);
	}

	@AfterAll
	static void logAgain() {
		LOGGER.setLevel(null);
	}

}
