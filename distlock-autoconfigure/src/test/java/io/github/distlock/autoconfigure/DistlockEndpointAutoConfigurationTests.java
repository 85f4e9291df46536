package io.github.distlock.autoconfigure;

import io.github.distlock.LockRegistry;
import io.github.distlock.actuate.DistlocksEndpoint;
import io.github.distlock.actuate.RecentLockEvents;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * When there are the endpoint and the health of locks.
 */
class DistlockEndpointAutoConfigurationTests {

	private final WebApplicationContextRunner application = new WebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(Contexts.autoConfigurations().toArray(Class<?>[]::new)))
		.withPropertyValues("distlock.backend=local");

	@Test
	void theEndpointNeedsToBeExposed() {
		this.application.run((context) -> assertThat(context).doesNotHaveBean(DistlocksEndpoint.class)
			.doesNotHaveBean(RecentLockEvents.class));
		this.application.withPropertyValues("management.endpoints.web.exposure.include=distlocks")
			.run((context) -> assertThat(context).hasSingleBean(DistlocksEndpoint.class));
	}

	@Test
	void theEndpointCanBeSwitchedOff() {
		this.application
			.withPropertyValues("management.endpoints.web.exposure.include=*",
					"management.endpoint.distlocks.access=NONE")
			.run((context) -> assertThat(context).doesNotHaveBean(DistlocksEndpoint.class)
				.doesNotHaveBean(RecentLockEvents.class));
	}

	@Test
	void theLocksOfAnApplicationsOwnRegistryAreNotKnown() {
		this.application.withPropertyValues("management.endpoints.web.exposure.include=*")
			.withBean("own", LockRegistry.class, () -> mock(LockRegistry.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(DistlocksEndpoint.class)
				.doesNotHaveBean("distlockHealthContributor"));
	}

	@Test
	void healthHasAnEntryEvenForASingleStore() {
		this.application.run((context) -> assertThat(
				context.getBean("distlockHealthContributor", CompositeHealthContributor.class).stream())
			.singleElement()
			.satisfies((entry) -> assertThat(entry.name()).isEqualTo("local")));
	}

	@ParameterizedTest
	@ValueSource(strings = { "management.health.distlock.enabled=false", "management.health.defaults.enabled=false" })
	void healthCanBeSwitchedOff(String property) {
		this.application.withPropertyValues(property)
			.run((context) -> assertThat(context).doesNotHaveBean("distlockHealthContributor"));
	}

	@Test
	void locksThatAreSwitchedOffAreHealthyAndTheListIsEmpty() {
		this.application.withPropertyValues("distlock.enabled=false", "management.endpoints.web.exposure.include=*")
			.run((context) -> {
				assertThat(context.getBean("distlockHealthContributor", HealthIndicator.class).health())
					.satisfies((health) -> assertThat(health.getStatus()).isEqualTo(Status.UP));
				assertThat(context.getBean(DistlocksEndpoint.class)
					.locks(SecurityContext.NONE, null, null, null)
					.getBody()).hasToString("LocksDescriptor[instance=null, registries={}]");
			});
	}

}
