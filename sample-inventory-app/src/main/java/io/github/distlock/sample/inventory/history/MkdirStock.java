package io.github.distlock.sample.inventory.history;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.github.distlock.sample.inventory.ClearedByHand;
import io.github.distlock.sample.inventory.Deduction;
import io.github.distlock.sample.inventory.StockLedger;
import io.github.distlock.sample.inventory.StockService;

import org.springframework.stereotype.Service;

/**
 * A folder as a lock: the file system lets only one caller create it.
 * <p>
 * What is wrong with it: the folder of a crashed holder remains until it is removed by
 * hand. Machines without a common file system do not see it.
 */
@Service("mkdir")
class MkdirStock implements StockService, ClearedByHand {

	private final StockLedger ledger;

	private final Patience patience;

	MkdirStock(StockLedger ledger, Patience patience) {
		this.ledger = ledger;
		this.patience = patience;
	}

	@Override
	public Deduction deduct(String sku) {
		Path folder = folder(sku);
		this.patience.await(folder.toString(), null, () -> make(folder));
		try {
			return this.ledger.sell(sku);
		}
		finally {
			remove(folder);
		}
	}

	@Override
	public void clear(String sku) {
		remove(folder(sku));
	}

	private static boolean make(Path folder) {
		try {
			Files.createDirectory(folder);
			return true;
		}
		catch (FileAlreadyExistsException ex) {
			return false;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void remove(Path folder) {
		try {
			Files.deleteIfExists(folder);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Path folder(String sku) {
		return Path.of(System.getProperty("java.io.tmpdir", ""),
				"distlock-sample-" + URLEncoder.encode(sku, StandardCharsets.UTF_8) + ".lock");
	}

}
