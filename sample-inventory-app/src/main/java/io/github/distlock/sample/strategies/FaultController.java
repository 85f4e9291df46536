package io.github.distlock.sample.strategies;

import java.util.Map;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Faults over HTTP, only if {@code sample.node.faults} allows them: one of them ends the
 * process.
 */
@RestController
@RequestMapping("/fault")
@ConditionalOnBooleanProperty("sample.node.faults")
class FaultController {

	private final Faults faults;

	FaultController(Faults faults) {
		this.faults = faults;
	}

	@PutMapping("/{kind}")
	void arm(@PathVariable String kind) {
		this.faults.arm(Faults.Kind.of(kind));
	}

	@DeleteMapping
	Map<String, Boolean> disarm() {
		return Map.of("struck", this.faults.disarm());
	}

}
