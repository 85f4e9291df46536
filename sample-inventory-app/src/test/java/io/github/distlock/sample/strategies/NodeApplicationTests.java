package io.github.distlock.sample.strategies;

import io.github.distlock.lab.web.CallerCheck;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The shop as the lab and containers start it.
 */
class NodeApplicationTests {

	@Test
	void nodesAndOrderServiceCheckTheirCallers() {
		Import imported = NodeApplication.class.getAnnotation(Import.class);
		assertThat(imported).isNotNull();
		assertThat(imported.value()).contains(CallerCheck.class);
	}

}
