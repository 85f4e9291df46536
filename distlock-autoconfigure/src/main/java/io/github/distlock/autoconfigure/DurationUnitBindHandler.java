package io.github.distlock.autoconfigure;

import java.time.Duration;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;

/**
 * Refuses numbers without a unit as values of durations of the library. Spring Boot takes
 * them for milliseconds, and {@code @DistributedLock} refuses them. 0 and -1 need no
 * unit; whether they mean something is checked with the other values.
 */
final class DurationUnitBindHandler extends AbstractBindHandler {

	private static final ConfigurationPropertyName OURS = ConfigurationPropertyName.of("distlock");

	private static final Pattern BARE = Pattern.compile("[+-]?\\d+");

	private static final Pattern NEEDS_NO_UNIT = Pattern.compile("[+-]?0+|-1");

	private final Environment environment;

	DurationUnitBindHandler(BindHandler parent, Environment environment) {
		super(parent);
		this.environment = environment;
	}

	@Override
	public @Nullable Object onSuccess(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
			Object result) {
		ConfigurationProperty property = context.getConfigurationProperty();
		if (result instanceof Duration && property != null && OURS.isAncestorOf(name)) {
			String value = this.environment.resolvePlaceholders(String.valueOf(property.getValue())).trim();
			if (BARE.matcher(value).matches() && !NEEDS_NO_UNIT.matcher(value).matches()) {
				throw new InvalidPropertyException(name.toString(), value,
						"it has no unit, so it would be " + value + " milliseconds",
						"Write a number with a unit, such as " + value + "ms or " + value + "s");
			}
		}
		return super.onSuccess(name, target, context, result);
	}

}
